// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "collective/completed.hpp"
#include "collective/reductions.hpp"
#include "support/catch.hpp"
#include "transport/shadow.hpp"

using namespace test_support;

namespace {

/// Makes the team carry even small reductions, unless the run sets MPI_HELPER_ALGORITHM otherwise.
const bool is_wished = [] {
  std::string wish;
  for (const char* const operation :
       {"ireduce", "iallreduce", "ireduce_scatter", "ireduce_scatter_block", "iscan", "iexscan"})
    wish += std::string(wish.empty() ? "" : ",") + operation + "=cma";
  setenv("MPI_HELPER_ALGORITHM", wish.c_str(), 0);
  return wish == std::getenv("MPI_HELPER_ALGORITHM");
}();

std::vector<reductions::Operation> nonblocking_reductions() {
  using namespace reductions;
  // clang-format off
  return {
      {"Iallreduce", false, count_of, count_of, plain<completed<MPI_Iallreduce>>, plain<PMPI_Allreduce>},
      {"Ireduce", true, count_of, count_of, rooted<completed<MPI_Ireduce>>, rooted<native_reduce>},
      {"Reduce_scatter, not blocking", false, all_counts, own_count, scattered<completed<MPI_Ireduce_scatter>, int>,
       scattered<PMPI_Reduce_scatter, int>},
      {"Reduce_scatter_block, not blocking", false, count_for_each, count_of,
       plain<completed<MPI_Ireduce_scatter_block>>, plain<PMPI_Reduce_scatter_block>},
      {"Iscan", false, count_of, count_of, plain<completed<MPI_Iscan>>, plain<PMPI_Scan>},
      {"Iexscan", false, count_of, count_of, plain<completed<MPI_Iexscan>>, plain<PMPI_Exscan>},
#if MPI_VERSION >= 4
      {"Iallreduce_c", false, count_of, count_of, plain<completed<MPI_Iallreduce_c>>, plain<PMPI_Allreduce>},
      {"Ireduce_c", true, count_of, count_of, rooted<completed<MPI_Ireduce_c>>, rooted<native_reduce>},
      {"Reduce_scatter_c, not blocking", false, all_counts, own_count,
       scattered<completed<MPI_Ireduce_scatter_c>, MPI_Count>, scattered<PMPI_Reduce_scatter, int>},
      {"Reduce_scatter_block_c, not blocking", false, count_for_each, count_of,
       plain<completed<MPI_Ireduce_scatter_block_c>>, plain<PMPI_Reduce_scatter_block>},
      {"Iscan_c", false, count_of, count_of, plain<completed<MPI_Iscan_c>>, plain<PMPI_Scan>},
      {"Iexscan_c", false, count_of, count_of, plain<completed<MPI_Iexscan_c>>, plain<PMPI_Exscan>},
#endif
  };
  // clang-format on
}

} // namespace

TEST_CASE("Reductions that do not block give native MPI's bits where nothing rounds") {
  Helpers helpers;
  Draw shared(seed());
  const auto pairs = reductions::defined_pairs();
  const auto all = nonblocking_reductions();
  for (const Comm& comm : communicators()) {
    get_to_know(helpers, comm);
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const reductions::Operation& operation : all) {
      for (int repetition = 0; repetition < 3; ++repetition) {
        const auto [op, type] = shared.of(pairs);
        const auto call = reductions::draw_call(shared, comm, type, op, shared.bytes(1 << 20));
        REQUIRE(reductions::difference([&](const auto& body) { helpers.phase(body); }, shared, own, operation,
                                       call, call, comm) == "");
      }
    }
  }
}

namespace {

/// The buffers of an operation, of ints.
struct Work {
  MPI_Comm comm;
  int rank;
  int size;
  int root;
  int count; // ints of a block
  std::vector<int> out;
  std::vector<int> in{};

  Work(const Comm& on, int root_of, int count_of, Draw& own)
      : comm(on), rank(on.rank()), size(on.size()), root(root_of), count(count_of),
        out(static_cast<std::size_t>(count_of * on.size())) {
    for (int& value : out) value = own.upto(1 << 20);
    in = out;
    std::ranges::reverse(in);
  }
};

/// A kind of operation: `native` runs it with native MPI, `begin` starts it through the library.
struct Kind {
  const char* name;
  std::function<int(Work&)> native;
  std::function<int(Work&, MPI_Request*)> begin;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"Iallreduce",
       [](Work& w) { return PMPI_Allreduce(w.out.data(), w.in.data(), w.count, MPI_INT, MPI_SUM, w.comm); },
       [](Work& w, MPI_Request* request) {
         return MPI_Iallreduce(w.out.data(), w.in.data(), w.count, MPI_INT, MPI_SUM, w.comm, request);
       }},
      {"Iallreduce in place",
       [](Work& w) { return PMPI_Allreduce(MPI_IN_PLACE, w.in.data(), w.count, MPI_INT, MPI_MAX, w.comm); },
       [](Work& w, MPI_Request* request) {
         return MPI_Iallreduce(MPI_IN_PLACE, w.in.data(), w.count, MPI_INT, MPI_MAX, w.comm, request);
       }},
      {"Ireduce",
       [](Work& w) {
         return PMPI_Reduce(w.out.data(), w.in.data(), w.count, MPI_INT, MPI_BXOR, w.root, w.comm);
       },
       [](Work& w, MPI_Request* request) {
         return MPI_Ireduce(w.out.data(), w.in.data(), w.count, MPI_INT, MPI_BXOR, w.root, w.comm, request);
       }},
      {"Ireduce_scatter_block",
       [](Work& w) {
         return PMPI_Reduce_scatter_block(w.out.data(), w.in.data(), w.count, MPI_INT, MPI_SUM, w.comm);
       },
       [](Work& w, MPI_Request* request) {
         return MPI_Ireduce_scatter_block(w.out.data(), w.in.data(), w.count, MPI_INT, MPI_SUM, w.comm,
                                          request);
       }},
      {"Iscan",
       [](Work& w) { return PMPI_Scan(w.out.data(), w.in.data(), w.count, MPI_INT, MPI_SUM, w.comm); },
       [](Work& w, MPI_Request* request) {
         return MPI_Iscan(w.out.data(), w.in.data(), w.count, MPI_INT, MPI_SUM, w.comm, request);
       }},
  };
  return all;
}

/// Returns native MPI's result.
std::vector<int> by_native(const Kind& kind, Work work) {
  REQUIRE(kind.native(work) == MPI_SUCCESS);
  return work.in;
}

/// Returns `number` copies of the world, on which the library carries non-blocking operations.
std::vector<Comm> known_copies(Helpers& helpers, int number) {
  std::vector<Comm> all;
  for (int i = 0; i < number; ++i) {
    MPI_Comm copy = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
    get_to_know(helpers, all.emplace_back(copy));
  }
  return all;
}

} // namespace

TEST_CASE("Several operations are under way at once, among blocking ones and messages") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() - 1 + world.size()) % world.size();
  Draw shared(seed());
  Draw own(seed() + 1000 * static_cast<std::uint64_t>(world.rank()));
  const std::vector<Comm> comms = known_copies(helpers, 3);
  for (int round = 0; round < 6; ++round) {
    const int number = 1 + shared.upto(20);
    std::vector<Work> works;
    std::vector<const Kind*> of;
    std::vector<std::vector<int>> expected;
    for (int i = 0; i < number; ++i) {
      const Comm& comm = shared.of(comms);
      works.emplace_back(comm, shared.upto(comm.size() - 1), shared.bytes(1 << 19) / 4 / comm.size(), own);
      of.push_back(&shared.of(kinds()));
      expected.push_back(by_native(*of.back(), works.back()));
    }
    Data sent({Type(PMPI_Type_vector, 9000, 1, 2, MPI_INT), 1}, 9000); // may be announced
    Data received(own, 9000);
    sent.put(world.rank());
    std::vector<MPI_Request> requests(works.size() + 3, MPI_REQUEST_NULL);
    const bool breaks_off = shared.coin();
    const auto complete = [&] { CHECK(complete_some_and_some(requests, own) == MPI_SUCCESS); };
    helpers.phase([&] {
      for (std::size_t i = 0; i < works.size(); ++i) {
        CHECK(of[i]->begin(works[i], &requests[i]) == MPI_SUCCESS);
        if (i == works.size() / 2) {
          send_later<MPI_Isend>(sent, {world, next, 7}, &requests[works.size()]);
          receive_later<MPI_Irecv>(received, {world, previous, 7}, nullptr, &requests[works.size() + 1]);
          MPI_Ibarrier(works[i].comm, &requests[works.size() + 2]);
        }
        int flag = 0;
        if (own.upto(4) == 0) MPI_Iprobe(previous, 8, world, &flag, MPI_STATUS_IGNORE);
        if (shared.upto(4) == 0) {
          int sum = world.rank();
          MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, works[i].comm);
          CHECK(sum == world.size() * (world.size() - 1) / 2);
        }
      }
      if (!breaks_off) complete();
    });
    if (breaks_off) complete(); // completes the requests after the phase
    CHECK(received.holds(previous, 9000));
    for (std::size_t i = 0; i < works.size(); ++i) {
      INFO(of[i]->name << ", ranks " << works[i].size << ", root " << works[i].root << ", count "
                       << works[i].count);
      CHECK(works[i].in == expected[i]);
    }
  }
}

TEST_CASE("Ranks need nothing more of one that has begun an operation, and then calls no MPI") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  Draw own(seed() + 1000 * static_cast<std::uint64_t>(world.rank()));
  const std::vector<Comm> comms = known_copies(helpers, 1);
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    const int away = world.size() - 1;
    Work work(comms[0], 0, 40'000, own);
    const std::vector<int> expected = by_native(kind, work);
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<int> result;
    helpers.phase([&] {
      CHECK(kind.begin(work, &request) == MPI_SUCCESS);
      if (is_wished) CHECK(is_carried(request));
      if (world.rank() == away) {
        // PMPI_Recv: the library does not see these messages.
        for (int rank = 0; rank < away; ++rank)
          PMPI_Recv(nullptr, 0, MPI_INT, rank, 3, world, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        result = work.in;
      } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        result = work.in;
        std::ranges::fill(work.out, -1); // the program may use the buffer again
        std::ranges::fill(work.in, -2);
        PMPI_Send(nullptr, 0, MPI_INT, away, 3, world);
      }
    });
    CHECK(result == expected);
  }
}

TEST_CASE("A rank may begin many operations before another begins the first") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const std::vector<Comm> comms = known_copies(helpers, 1);
  constexpr int many = 70;
  constexpr int count = 9000;
  std::vector<std::vector<int>> sums(many, std::vector<int>(count));
  std::vector<MPI_Request> requests(many, MPI_REQUEST_NULL);
  helpers.phase([&] {
    if (world.rank() == 0 && world.size() > 1) MPI_Recv(nullptr, 0, MPI_INT, 1, 4, world, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      std::ranges::fill(sums[i], static_cast<int>(i) + world.rank());
      MPI_Iallreduce(MPI_IN_PLACE, sums[i].data(), count, MPI_INT, MPI_SUM, comms[0], &requests[i]);
    }
    if (world.rank() == 1) MPI_Send(nullptr, 0, MPI_INT, 0, 4, world);
    for (std::size_t i = requests.size(); i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  });
  const int ranks = world.size() * (world.size() - 1) / 2;
  for (std::size_t i = 0; i < sums.size(); ++i)
    CHECK(std::ranges::count(sums[i], static_cast<int>(i) * world.size() + ranks) == count);
}

TEST_CASE("A communicator may be freed while an operation is under way") {
  if (is_open_mpi() && !is_wished) {
    WARN("Left out, as Open MPI then ends the program in its own operation");
    return;
  }
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  for (int repetition = 0; repetition < 40; ++repetition) { // more communicators than control blocks
    MPI_Comm copy = MPI_COMM_NULL;
    PMPI_Comm_dup(world, &copy);
    constexpr int count = 10'000;
    const std::vector<int> in(count, world.rank());
    std::vector<int> out(count, -1);
    MPI_Request request = MPI_REQUEST_NULL;
    helpers.phase([&] {
      MPI_Barrier(copy);
      MPI_Iallreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, copy, &request);
      if (is_wished) CHECK(is_carried(request) == (world.size() > 1));
      MPI_Comm_free(&copy);
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    });
    CHECK(std::ranges::count(out, world.size() * (world.size() - 1) / 2) == count);
  }
}

TEST_CASE("Who expects another amount of data learns so, and the next operation is good") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  const std::vector<Comm> comms = known_copies(helpers, 1);
  const std::vector<int> values(30'000, world.rank());
  std::vector<int> sums(values.size());
  MPI_Request request = MPI_REQUEST_NULL;
  for (const int count : {20'000, 30'000}) {
    helpers.phase([&] {
      MPI_Iallreduce(values.data(), sums.data(), world.rank() == 0 ? 30'000 : count, MPI_INT, MPI_SUM,
                     comms[0], &request);
      const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(class_of(code) == (count != 30'000 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    });
    CHECK(request == MPI_REQUEST_NULL);
  }
  CHECK(std::ranges::count(sums, world.size() * (world.size() - 1) / 2) == 30'000);
}

namespace {

/// A sum over all ranks on one communicator. It can be begun several times.
class Sum {
public:
  explicit Sum(const Comm& comm) : comm_(comm), in_(30'000, comm.rank()), out_(in_.size()) {}

  int begin() {
    return MPI_Iallreduce(in_.data(), out_.data(), static_cast<int>(in_.size()), MPI_INT, MPI_SUM, comm_,
                          &request_);
  }
  int wait() { return MPI_Wait(&request_, MPI_STATUS_IGNORE); }
  bool carried() const { return is_carried(request_); }
  bool is_right() const {
    return std::ranges::count(out_, comm_.size() * (comm_.size() - 1) / 2) == std::ssize(in_);
  }

private:
  const Comm& comm_;
  const std::vector<int> in_;
  std::vector<int> out_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace

TEST_CASE("What waits for a rank that has given up fails, and what does not goes on") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  const std::vector<Comm> comms = known_copies(helpers, 2);
  Sum before(comms[0]);
  Sum meanwhile(comms[0]);
  Sum beside(comms[1]);
  Sum after(comms[0]);
  helpers.phase([&] {
    CHECK(before.begin() == MPI_SUCCESS);
    if (world.rank() != 1) CHECK(meanwhile.begin() == MPI_SUCCESS);
    CHECK(beside.begin() == MPI_SUCCESS);
    PMPI_Barrier(world);
    if (world.rank() == 1) {
      helper::transport::Shadow::find(comms[0])->failure().give_up();
    } else {
      CHECK(class_of(meanwhile.wait()) == MPI_ERR_OTHER);
      CHECK(class_of(after.begin()) == MPI_ERR_OTHER); // later operations on the communicator are native
    }
    CHECK(before.wait() == MPI_SUCCESS);
    CHECK(beside.wait() == MPI_SUCCESS);
    CHECK(after.begin() == MPI_SUCCESS);
    CHECK(!after.carried());
    CHECK(after.wait() == MPI_SUCCESS);
  });
  CHECK(before.is_right());
  CHECK(beside.is_right());
  CHECK(after.is_right());
}
