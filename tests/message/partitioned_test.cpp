// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "message/message.hpp"
#include "message/requests.hpp"
#include "message/roles.hpp"
#include "support/as_shared_library.hpp"
#include "support/catch.hpp"
#include "support/shared_counter.hpp"

// Tests partitioned messages. MPI handles the first start of a request. Later starts must give the same data
// and statuses. Open MPI 6 is left out, whose own are wrong: see docs/mpi-faults.md.

using namespace test_support;

#if MPI_VERSION >= 4

namespace {

constexpr int tag = 5;
constexpr int large = 120'000; // ints; divisible into 24 partitions; large enough to be carried

#ifdef MPI_HELPER_PARTITIONED
constexpr bool may_be_carried = true;
#else
constexpr bool may_be_carried = false;
#endif

bool is_carried(const MPI_Request& request) {
  return helper::message::requests::find(&request) != nullptr;
}

/// One side of a partitioned message. A partition has `count` elements.
struct Side {
  Data data;
  int partitions;
  int count;

  /// Draws a side with `ints` ints, in partitions of one or several elements of a random family.
  static Side draw(Draw& own, int ints) {
    const int partitions = own.of({1, 2, 3, 4, 6, 12, 24});
    if (partitions == 1) {
      Data data(own, ints);
      const int count = data.count();
      return {std::move(data), partitions, count};
    }
    const int count = own.of({1, 5});
    return of(own.of(families()), own, ints, partitions, count);
  }

  static Side of(const Family& family, Draw& own, int ints, int partitions, int count) {
    const int elements = partitions * count;
    const Elements one = family.make(own, ints / elements);
    Type element(PMPI_Type_contiguous, one.count, one.type);
    return {Data({std::move(element), elements}, ints), partitions, count};
  }

  MPI_Request send(int peer, MPI_Comm comm) const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Psend_init(data.address(), partitions, count, data.type(), peer, tag, comm, MPI_INFO_NULL, &request);
    return request;
  }
  MPI_Request receive(int peer, MPI_Comm comm) const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Precv_init(data.address(), partitions, count, data.type(), peer, tag, comm, MPI_INFO_NULL, &request);
    return request;
  }
};

/// Returns a side with single ints and gaps. Each partition is one element.
Side scattered(Draw& own, int partitions, int ints = large) {
  return Side::of({"vector of 1", family::vector<1>}, own, ints, partitions, 1);
}

/// Marks all partitions as ready, in random order and with random functions.
void make_ready(Draw& own, int partitions, MPI_Request request) {
  std::vector<int> order(static_cast<std::size_t>(partitions));
  std::iota(order.begin(), order.end(), 0);
  const int middle = own.upto(partitions);
  if (own.coin() && middle > 0) {
    CHECK(MPI_Pready_range(0, middle - 1, request) == MPI_SUCCESS);
    order.erase(order.begin(), order.begin() + middle);
  }
  own.shuffle(order);
  if (own.coin()) {
    CHECK(MPI_Pready_list(static_cast<int>(order.size()), order.data(), request) == MPI_SUCCESS);
  } else {
    for (const int partition : order) CHECK(MPI_Pready(partition, request) == MPI_SUCCESS);
  }
}

/// Polls the partitions in random order until all have arrived.
void await_all(Draw& own, int partitions, MPI_Request request) {
  std::vector<int> order(static_cast<std::size_t>(partitions));
  std::iota(order.begin(), order.end(), 0);
  own.shuffle(order);
  for (const int partition : order) {
    int code = MPI_SUCCESS;
    for (int arrived = 0; arrived == 0 && code == MPI_SUCCESS;)
      code = MPI_Parrived(request, partition, &arrived);
    CHECK(code == MPI_SUCCESS);
  }
}

/// A fixture for tests with two ranks. Rank 0 sends to rank 1.
struct FirstTwo {
  Helpers helpers;
  const Comm world{MPI_COMM_WORLD};
  const bool are_there = world.rank() < 2 && world.size() > 1 && !is_open_mpi();
  const bool sends = world.rank() == 0;
  Draw own{seed()};

  std::vector<MPI_Request> request_of(const Side& side) const {
    return {sends ? side.send(1, world) : side.receive(0, world)};
  }
};

/// Sets MPI_ERRORS_RETURN while the object lives.
struct ErrorsReturned : FirstTwo {
  ErrorsReturned() { set_unnamed_errhandler(MPI_ERRORS_RETURN); }
  ~ErrorsReturned() { set_unnamed_errhandler(MPI_ERRORS_ARE_FATAL); }
};

void free_all(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests) {
    if (request != MPI_REQUEST_NULL) CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
  }
}

/// Each rank sends to the next one and receives from the previous one, in several starts.
void pass_round(Helpers& helpers, const Comm& comm, Draw& shared, Draw& own) {
  const int next = (comm.rank() + 1) % comm.size();
  const int previous = (comm.rank() + comm.size() - 1) % comm.size();
  const int ints = shared.of({2'400, 33'600, large, 240'000});
  Side out = Side::draw(own, ints);
  Side in = Side::draw(own, ints);
  INFO(ints << " ints: " << out.partitions << " partitions of " << out.count << ", " << in.partitions
            << " of " << in.count);
  Data small_out(own, 100);
  Data small_in(own, 100);
  const bool has_parrived = own.coin();
  helpers.phase([&] {
    std::vector<MPI_Request> requests{in.receive(previous, comm), out.send(next, comm)};
    for (int start = 0; start < 4; ++start) {
      const int key = 10 * start;
      out.data.put(key + comm.rank());
      in.data.clear();
      small_out.put(1);
      CHECK(MPI_Startall(2, requests.data()) == MPI_SUCCESS);
      const bool should_be = may_be_carried && start > 0 && ints >= 33'600 && next != comm.rank();
      CHECK(is_carried(requests[0]) == should_be);
      CHECK(is_carried(requests[1]) == should_be);
      std::vector<MPI_Request> all = requests;
      all.resize(4, MPI_REQUEST_NULL);
      receive_later<MPI_Irecv>(small_in, {comm, previous, tag}, nullptr, &all[2]);
      send_later<MPI_Isend>(small_out, {comm, next, tag}, &all[3]);
      make_ready(own, out.partitions, requests[1]);
      if (has_parrived) {
        await_all(own, in.partitions, requests[0]);
        CHECK(in.data.holds(key + previous, ints));
      }
      std::vector<MPI_Status> statuses(all.size());
      // MPI_Testall and similar functions of MPICH 4.0.2 fail on native partitioned requests.
      CHECK((should_be ? complete_shuffled(all, statuses, own)
                       : MPI_Waitall(4, all.data(), statuses.data())) == MPI_SUCCESS);
      CHECK((all[0] == requests[0] && all[1] == requests[1]));
      CHECK(in.data.holds(key + previous, ints));
      CHECK(wrong_in(statuses[0], previous, tag, in.data, ints) == "");
      CHECK(small_in.holds(1, 100));
      small_in.clear();
    }
    free_all(requests);
  });
}

} // namespace

TEST_CASE("A partitioned message arrives whatever the partitions and datatypes of its two sides") {
  if (is_open_mpi()) return;
  Helpers helpers;
  Draw shared(seed());
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (int repetition = 0; repetition < 8; ++repetition) {
      INFO("repetition " << repetition);
      pass_round(helpers, comm, shared, own);
    }
  }
}

#ifdef MPI_HELPER_PARTITIONED
TEST_CASE_METHOD(FirstTwo, "A partition arrives before others are ready") {
  if (!are_there) return;
  constexpr int partitions = 8;
  for (const bool is_dense : {true, false}) {
    Side side =
        is_dense ? Side::of({"dense", family::dense}, own, large, partitions, 1) : scattered(own, partitions);
    helpers.phase([&] {
      std::vector<MPI_Request> requests = request_of(side);
      for (int start = 0; start < 3; ++start) {
        if (sends) side.data.put(start);
        MPI_Start(requests.data());
        for (int partition = 0; partition < partitions; ++partition) {
          if (sends) MPI_Pready(partition, requests[0]);
          if (start == 0) continue;
          int arrived = 0;
          while (!sends && arrived == 0) MPI_Parrived(requests[0], partition, &arrived);
          if (sends)
            MPI_Recv(nullptr, 0, MPI_INT, 1, tag, world, MPI_STATUS_IGNORE);
          else
            MPI_Send(nullptr, 0, MPI_INT, 0, tag, world);
        }
        CHECK(MPI_Wait(requests.data(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
        if (!sends) CHECK(side.data.holds(start, large));
      }
      free_all(requests);
    });
  }
}
#endif

TEST_CASE_METHOD(FirstTwo, "Threads make partitions ready, and ask for those of others") {
  int level = 0;
  PMPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE || !are_there) return;
  constexpr int partitions = 24;
  constexpr int threads = 3;
  Side out = scattered(own, partitions);
  Side in = scattered(own, partitions / 2);
  const int peer = 1 - world.rank();
  std::vector<MPI_Request> requests;
  helpers.phase([&] { requests = {in.receive(peer, world), out.send(peer, world)}; });
  for (int start = 0; start < 12; ++start) {
    out.data.put(start + world.rank());
    in.data.clear();
    const auto pass = [&] {
      MPI_Startall(2, requests.data());
      std::array<bool, threads> have_failed{};
      std::vector<std::thread> all;
      for (int thread = 0; thread < threads; ++thread) {
        all.emplace_back([&, thread] {
          bool& has_failed = have_failed[static_cast<std::size_t>(thread)];
          for (int at = thread; at < partitions; at += threads)
            has_failed = MPI_Pready(at, requests[1]) != MPI_SUCCESS || has_failed;
          for (int at = thread; at < in.partitions; at += threads) {
            for (int arrived = 0; arrived == 0 && !has_failed;)
              has_failed = MPI_Parrived(requests[0], at, &arrived) != MPI_SUCCESS;
          }
        });
      }
      for (std::thread& thread : all) thread.join(); // an inactive request must not be tested
      CHECK(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
      CHECK(std::ranges::count(have_failed, true) == 0);
    };
    if (start % 3 == 0)
      pass();
    else
      helpers.phase(pass);
    CHECK(in.data.holds(start + peer, large));
  }
  free_all(requests);
}

TEST_CASE_METHOD(
    FirstTwo,
    "A partitioned message passes whichever part of it happens in a phase, and whoever waits first") {
  if (is_open_mpi()) return;
  Draw shared(seed());
  Side side = scattered(own, 24);
  const auto perhaps_in_phase = [&](const auto& body) {
    if (own.coin())
      helpers.phase(body);
    else
      body();
  };
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  if (are_there) helpers.phase([&] { requests = request_of(side); });
  const auto wait = [&] {
    perhaps_in_phase([&] { CHECK(MPI_Wait(requests.data(), MPI_STATUS_IGNORE) == MPI_SUCCESS); });
  };
  for (int start = 0; start < 12; ++start) {
    if (sends) side.data.put(start);
    const bool barrier_in_phase = shared.coin();
    const auto synchronise = [&] {
      if (barrier_in_phase)
        helpers.phase([&] { MPI_Barrier(world); });
      else
        MPI_Barrier(world);
    };
    if (requests[0] != MPI_REQUEST_NULL) perhaps_in_phase([&] { MPI_Start(requests.data()); });
    if (requests[0] != MPI_REQUEST_NULL && sends)
      perhaps_in_phase([&] { MPI_Pready_range(0, side.partitions - 1, requests[0]); });
    if (sends) wait();
    synchronise();
    if (!sends) wait();
    if (world.rank() == 1) CHECK(side.data.holds(start, large));
    synchronise();
  }
  free_all(requests);
}

TEST_CASE("A receiver starts again, and posts, whatever the sender does after its first start") {
  if (is_open_mpi()) return;
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const SharedCounter has_started(world); // requests that the receiver has started again
  Draw shared(seed());
  Draw own(seed());
  for (int repetition = 1; repetition <= 60 && world.size() > 1; ++repetition) {
    const bool is_sender = world.rank() == repetition % 2;
    const bool is_sender_first = shared.coin();
    const bool is_by_barrier = shared.coin(); // if not, the sender makes no MPI call in between
    const int ints = shared.of({2'400, 33'600, large});
    INFO("repetition " << repetition << ", " << ints << " ints, " << is_by_barrier << is_sender_first);
    Side side =
        shared.coin() ? scattered(own, 24, ints) : Side::of({"dense", family::dense}, own, ints, 24, 1);
    helpers.phase([&] {
      if (world.rank() > 1) {
        MPI_Barrier(world);
        if (is_by_barrier) MPI_Barrier(world);
        return;
      }
      if (is_sender != is_sender_first) MPI_Barrier(world);
      std::vector<MPI_Request> requests{is_sender ? side.send(1 - world.rank(), world)
                                                  : side.receive(1 - world.rank(), world)};
      if (is_sender == is_sender_first) MPI_Barrier(world);
      if (is_sender) side.data.put(1);
      MPI_Start(requests.data());
      if (is_sender) MPI_Pready_range(0, 23, requests[0]);
      CHECK(MPI_Wait(requests.data(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
      if (!is_sender) {
        CHECK(side.data.holds(1, ints));
        side.data.clear();
        MPI_Start(requests.data());
        has_started->store(repetition);
      }
      if (is_by_barrier) MPI_Barrier(world);
      while (has_started->load() < repetition) {
      }
      if (is_sender) {
        side.data.put(2);
        MPI_Start(requests.data());
        MPI_Pready_range(0, 23, requests[0]);
      }
      CHECK(MPI_Wait(requests.data(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
      if (!is_sender) CHECK(side.data.holds(2, ints));
      free_all(requests);
    });
  }
}

TEST_CASE_METHOD(ErrorsReturned, "Sizes that differ are the receiver's error at every start") {
  if (!are_there) return;
  for (const bool sends_more : {false, true}) {
    const int ints = sends == sends_more ? 2 * large : large;
    Side side = scattered(own, 4, ints);
    helpers.phase([&] {
      std::vector<MPI_Request> requests = request_of(side);
      for (int start = 0; start < 4; ++start) {
        MPI_Start(requests.data());
        if (sends) MPI_Pready_range(0, side.partitions - 1, requests[0]);
        const int code = MPI_Wait(requests.data(), MPI_STATUS_IGNORE);
        CHECK(class_of(code) == (sends ? MPI_SUCCESS : MPI_ERR_OTHER));
      }
      free_all(requests);
    });
  }
}

TEST_CASE_METHOD(ErrorsReturned, "Misuse of an active partitioned request is an error, and does no harm") {
  if (!are_there) return;
  Side side = scattered(own, 4);
  helpers.phase([&] {
    std::vector<MPI_Request> requests = request_of(side);
    for (int start = 0; start < 3; ++start) {
      if (sends) side.data.put(start);
      MPI_Start(requests.data());
      int flag = 0;
      if (is_carried(requests[0])) {
        CHECK(class_of(MPI_Cancel(requests.data())) == MPI_ERR_INTERN); // like native MPICH
        CHECK(class_of(MPI_Start(requests.data())) == MPI_ERR_REQUEST);
        if (sends) {
          CHECK(class_of(MPI_Pready(4, requests[0])) == MPI_ERR_OTHER);
          CHECK(class_of(MPI_Pready(-1, requests[0])) == MPI_ERR_OTHER);
          CHECK(class_of(MPI_Pready_range(1, 0, requests[0])) == MPI_ERR_OTHER);
          CHECK(class_of(MPI_Parrived(requests[0], 0, &flag)) == MPI_ERR_REQUEST);
          CHECK(MPI_Pready(0, requests[0]) == MPI_SUCCESS);
          CHECK(MPI_Pready(0, requests[0]) == MPI_SUCCESS);
        } else {
          CHECK(class_of(MPI_Parrived(requests[0], 4, &flag)) == MPI_ERR_OTHER);
          CHECK(class_of(MPI_Pready(0, requests[0])) == MPI_ERR_REQUEST);
        }
      }
      if (sends) MPI_Pready_range(0, 3, requests[0]);
      CHECK(MPI_Wait(requests.data(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(MPI_Wait(requests.data(), MPI_STATUS_IGNORE) == MPI_SUCCESS); // the request is inactive now
      if (!sends) CHECK(side.data.holds(start, large));
    }
    free_all(requests);
  });
}

TEST_CASE("Partitioned requests are freed in every state, and communicators before them") {
  if (is_open_mpi()) return;
  // MPICH 4.2 and 5.0 end a program that frees a request that is active or was never started.
  if (is_mpich("4.2") || is_mpich_5_0()) return;
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed());
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  for (int starts = 0; starts < 4; ++starts) {
    for (const bool is_active : {false, true}) {
      if (is_active && starts < 2) continue;
      INFO(starts << " starts, active at the end: " << is_active);
      MPI_Comm comm = MPI_COMM_NULL;
      PMPI_Comm_dup(world, &comm);
      Side out = scattered(own, 12);
      Side in = scattered(own, 6);
      std::vector<MPI_Request> requests;
      helpers.phase([&] {
        requests = {in.receive(previous, comm), out.send(next, comm)};
        MPI_Comm_free(&comm);
        for (int start = 0; start < starts; ++start) {
          out.data.put(start + world.rank());
          MPI_Startall(2, requests.data());
          MPI_Pready_range(0, 11, requests[1]);
          if (is_active && start == starts - 1) await_all(own, 6, requests[0]);
          if (!is_active || start < starts - 1)
            CHECK(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
          CHECK(in.data.holds(start + previous, large));
        }
        free_all(requests);
        MPI_Barrier(world);
      });
    }
  }
}

#endif
