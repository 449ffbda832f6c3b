// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/partners.hpp"

// Tests transfers with MPI_PROC_NULL and with oneself, requests freed or cancelled, partitioned transfers.

using namespace test_support;

namespace {

constexpr int tag = 1;
constexpr int done_tag = 2;
constexpr int unused_tag = 3; // no message has it
constexpr int sizes[] = {0, 5, 20'000, 300'000};

void say_done(const Comm& comm, int peer) {
  MPI_Send(nullptr, 0, MPI_INT, peer, done_tag, comm);
}

void await_done(const Comm& comm, int peer) {
  MPI_Recv(nullptr, 0, MPI_INT, peer, done_tag, comm, MPI_STATUS_IGNORE);
}

bool was_cancelled(const MPI_Status& status) {
  int cancelled = -1;
  PMPI_Test_cancelled(&status, &cancelled);
  return cancelled != 0;
}

struct Pairs : Partners {
  Draw own{seed() + static_cast<std::uint64_t>(world.rank())};

  /// For each size, calls `exchange(out, in, ints)` in a phase. It must send `out` to the partner and receive
  /// a message of the same size into `in`. Ranks without a partner do nothing.
  template <class Exchange>
  void exchange_each_size(const Exchange& exchange) {
    if (peer == MPI_PROC_NULL) return;
    for (const int ints : sizes) {
      INFO("ints " << ints);
      Data out(own, ints);
      Data in(own, ints);
      out.put(world.rank());
      helpers.phase([&] { exchange(out, in, ints); });
      CHECK(in.holds(peer, ints));
    }
  }
};

} // namespace

TEST_CASE_METHOD(Pairs, "What is sent to nobody goes nowhere, and nobody sends nothing") {
  const AttachedBuffer buffer;
  for (const int ints : sizes) {
    for (const Sending& way : sendings()) {
      INFO(way.name << ", ints " << ints);
      Data data(own, ints);
      MPI_Request request = MPI_REQUEST_NULL;
      helpers.phase([&] {
        CHECK(way.start(data, {world, MPI_PROC_NULL, tag}, &request) == MPI_SUCCESS);
        CHECK(complete(own.of(completings()), request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      });
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
    for (const Receiving& way : receivings()) {
      INFO(way.name << ", ints " << ints);
      Data data(own, ints);
      MPI_Request request = MPI_REQUEST_NULL;
      helpers.phase([&] {
        CHECK(way.start(data, {world, MPI_PROC_NULL, tag}, MPI_STATUS_IGNORE, &request) == MPI_SUCCESS);
        CHECK(complete(own.of(completings()), request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      });
      CHECK(data.unchanged());
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }
}

TEST_CASE_METHOD(Pairs, "Everybody can send to itself") {
  const AttachedBuffer buffer;
  for (const Comm& comm : communicators()) {
    const Envelope self{comm, comm.rank(), tag};
    const auto run = [&](const Sending& sending, const Receiving& receiving, bool receive_first) {
      const int ints = draw_ints(own);
      INFO(sending.name << ", " << receiving.name << ", ints " << ints);
      Data out(own, ints);
      Data in(own, ints);
      out.put(1);
      MPI_Status status{};
      MPI_Request send = MPI_REQUEST_NULL;
      MPI_Request receive = MPI_REQUEST_NULL;
      helpers.phase([&] {
        if (receive_first) CHECK(receiving.start(in, self, &status, &receive) == MPI_SUCCESS);
        CHECK(sending.start(out, self, &send) == MPI_SUCCESS);
        if (!receive_first) CHECK(receiving.start(in, self, &status, &receive) == MPI_SUCCESS);
        CHECK(complete(own.of(completings()), receive, &status) == MPI_SUCCESS);
        CHECK(complete(own.of(completings()), send, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      });
      CHECK(in.holds(1, ints));
      check_status(status, comm.rank(), tag, in, ints);
      for (MPI_Request* request : {&send, &receive}) {
        if (*request != MPI_REQUEST_NULL) MPI_Request_free(request);
      }
    };
    for (const Sending& sending : sendings()) run(sending, {"Irecv", receive_later<MPI_Irecv>}, true);
    for (const Receiving& receiving : receivings()) run({"Isend", send_later<MPI_Isend>}, receiving, false);
  }
}

TEST_CASE_METHOD(Pairs, "A request that is freed is carried out all the same") {
  exchange_each_size([&](Data& out, Data& in, int ints) {
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Request receive = MPI_REQUEST_NULL;
    receive_later<MPI_Irecv>(in, {world, peer, tag}, nullptr, &receive);
    send_later<MPI_Isend>(out, {world, peer, tag}, &send);
    MPI_Request_free(&receive);
    MPI_Request_free(&send);
    int flag = 0;
    while (!in.holds(peer, ints)) MPI_Iprobe(MPI_ANY_SOURCE, tag, world, &flag, MPI_STATUS_IGNORE);
    say_done(world, peer); // before that the partner needs its buffer
    await_done(world, peer);
  });
}

TEST_CASE_METHOD(Pairs, "A communicator may be freed before its requests are started and completed") {
  for (const int ints : sizes) {
    INFO("ints " << ints);
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    Data in(own, ints);
    Data in_again(own, ints);
    Data out(own, ints);
    out.put(world.rank());
    helpers.phase([&] {
      std::array<MPI_Request, 4> requests;
      MPI_Irecv(in.address(), in.count(), in.type(), peer, tag, comm, &requests[0]);
      MPI_Isend(out.address(), out.count(), out.type(), peer, tag, comm, &requests[1]);
      MPI_Recv_init(in_again.address(), in_again.count(), in_again.type(), peer, tag, comm, &requests[2]);
      MPI_Send_init(out.address(), out.count(), out.type(), peer, tag, comm, &requests[3]);
      MPI_Comm_free(&comm);
      MPI_Comm_dup(MPI_COMM_SELF, &comm); // keeps the handle from being reused
      for (int start = 0; start < 2; ++start) {
        in_again.clear();
        MPI_Startall(2, &requests[2]);
        CHECK(MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK((peer == MPI_PROC_NULL || in_again.holds(peer, ints)));
      }
      for (int i : {2, 3}) MPI_Request_free(&requests[static_cast<std::size_t>(i)]);
      MPI_Comm_free(&comm);
    });
    CHECK((peer == MPI_PROC_NULL || in.holds(peer, ints)));
  }
}

TEST_CASE_METHOD(Pairs, "A communicator may be freed before a message that a probe has matched is received") {
  for (const int ints : {20, 300'000}) {
    INFO("ints " << ints);
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm); // collective over all ranks
    if (peer == MPI_PROC_NULL) {
      PMPI_Comm_free(&comm);
      continue;
    }
    Data in(own, ints);
    Data out(own, ints);
    out.put(world.rank());
    helpers.phase([&] {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Isend(out.address(), out.count(), out.type(), peer, tag, comm, &request);
      MPI_Mprobe(peer, tag, comm, &message, MPI_STATUS_IGNORE);
      MPI_Comm_free(&comm);
      CHECK(MPI_Mrecv(in.address(), in.count(), in.type(), &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    });
    CHECK(in.holds(peer, ints));
  }
}

TEST_CASE_METHOD(Pairs, "A receive passes over a message that a probe has found if the tag is another") {
  if (peer == MPI_PROC_NULL) return;
  constexpr int other_tag = unused_tag + 1;
  for (int repetition = 0; repetition < 8; ++repetition) {
    const int ints = sizes[repetition % 4];
    std::vector<Data> data;
    for (int i = 0; i < 4; ++i) data.emplace_back(own, ints);
    data[0].put(world.rank());
    data[1].put(world.rank() + 100);
    helpers.phase([&] {
      std::array<MPI_Request, 2> sends{};
      MPI_Request receive = MPI_REQUEST_NULL;
      send_later<MPI_Isend>(data[0], {world, peer, tag}, &sends[0]);
      send_later<MPI_Isend>(data[1], {world, peer, other_tag}, &sends[1]);
      MPI_Probe(peer, tag, world, MPI_STATUS_IGNORE);
      receive_later<MPI_Irecv>(data[3], {world, peer, other_tag}, nullptr, &receive);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
      receive_later<MPI_Irecv>(data[2], {world, peer, tag}, nullptr, &receive);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
      MPI_Waitall(2, sends.data(), MPI_STATUSES_IGNORE);
    });
    CHECK(data[2].holds(peer, ints));
    CHECK(data[3].holds(peer + 100, ints));
  }
}

TEST_CASE_METHOD(
    Pairs, "What a member has begun to send arrives though it leaves its phase, and then waits in MPI") {
  if (team_size() == 0) return; // without a team the thread is always in a phase
  if (peer == MPI_PROC_NULL) return;
  constexpr int ints = 300'000;
  for (int repetition = 0; repetition < 4; ++repetition) { // may be announced from the second one on
    Data data({Type(PMPI_Type_vector, ints, 1, 2, MPI_INT), 1}, ints);
    MPI_Request request = MPI_REQUEST_NULL;
    if ((world.rank() < peer) == (repetition % 2 == 0)) {
      data.put(repetition);
      helpers.phase([&] { send_later<MPI_Isend>(data, {world, peer, tag}, &request); });
      PMPI_Recv(nullptr, 0, MPI_BYTE, peer, unused_tag, world, MPI_STATUS_IGNORE);
      helpers.phase([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
    } else {
      helpers.phase([&] {
        receive_later<MPI_Irecv>(data, {world, peer, tag}, nullptr, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      });
      PMPI_Send(nullptr, 0, MPI_BYTE, peer, unused_tag, world);
      CHECK(data.holds(repetition, ints));
    }
  }
}

TEST_CASE_METHOD(Pairs, "A null request among others has an empty status") {
  exchange_each_size([&](Data& out, Data& in, int) {
    std::array<MPI_Status, 3> statuses{};
    for (MPI_Status& status : statuses) status.MPI_SOURCE = status.MPI_TAG = 12345;
    std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    receive_later<MPI_Irecv>(in, {world, peer, tag}, nullptr, &requests[0]);
    send_later<MPI_Isend>(out, {world, peer, tag}, &requests[2]);
    CHECK(MPI_Waitall(3, requests.data(), statuses.data()) == MPI_SUCCESS);
    CHECK(statuses[1].MPI_SOURCE == MPI_ANY_SOURCE);
    CHECK(statuses[1].MPI_TAG == MPI_ANY_TAG);
  });
}

TEST_CASE("Requests of which none is active have an empty status") {
  Helpers helpers;
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Recv_init(&value, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
  helpers.phase([&] {
    int index = 0;
    MPI_Status status{};
    status.MPI_SOURCE = status.MPI_TAG = 12345;
    CHECK(MPI_Waitany(1, &request, &index, &status) == MPI_SUCCESS);
    CHECK(index == MPI_UNDEFINED);
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE);
    CHECK(status.MPI_TAG == MPI_ANY_TAG);
  });
  MPI_Request_free(&request);
}

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000 // later versions reject it
TEST_CASE("Of no elements the type may be MPI_DATATYPE_NULL") {
  Helpers helpers;
  const Comm self(MPI_COMM_SELF);
  helpers.phase([&] {
    MPI_Status status{};
    CHECK(MPI_Sendrecv_replace(nullptr, 0, MPI_DATATYPE_NULL, 0, tag, 0, tag, self, &status) == MPI_SUCCESS);
    CHECK((status.MPI_SOURCE == 0 && status.MPI_TAG == tag));
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK(MPI_Recv_init(nullptr, 0, MPI_DATATYPE_NULL, 0, tag, self, &request) == MPI_SUCCESS);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    MPI_Send(nullptr, 0, MPI_INT, 0, tag, self);
    CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
    MPI_Request_free(&request);
  });
}
#endif

TEST_CASE_METHOD(Pairs, "A receive that nothing was sent to can be cancelled, and takes no message then") {
  exchange_each_size([&](Data& out, Data& in, int ints) {
    const Data cancelled(own, ints);
    MPI_Status of_cancelled{};
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    receive_later<MPI_Irecv>(cancelled, {world, peer, tag}, nullptr, &requests[0]);
    MPI_Cancel(&requests[0]);
    CHECK(complete(own.of(completings()), requests[0], &of_cancelled) == MPI_SUCCESS);
    say_done(world, peer);
    await_done(world, peer);
    receive_later<MPI_Irecv>(in, {world, peer, tag}, nullptr, &requests[0]);
    send_later<MPI_Isend>(out, {world, peer, tag}, &requests[1]);
    CHECK(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(was_cancelled(of_cancelled));
    CHECK(cancelled.unchanged());
  });
}

TEST_CASE_METHOD(Pairs, "The buffer of a receive that was cancelled and freed may go") {
  for (int repetition = 0; repetition < 20; ++repetition) {
    helpers.phase([&] {
      for (const int ints : sizes) {
        const Data data(own, ints);
        MPI_Request request = MPI_REQUEST_NULL;
        receive_later<MPI_Irecv>(data, {world, MPI_ANY_SOURCE, unused_tag}, nullptr, &request);
        MPI_Cancel(&request);
        MPI_Request_free(&request);
      }
      int flag = 0;
      for (std::size_t i = 0; i < std::size(sizes); ++i)
        MPI_Iprobe(MPI_ANY_SOURCE, unused_tag, world, &flag, MPI_STATUS_IGNORE);
    });
  }
}

TEST_CASE_METHOD(
    Pairs,
    "A receive that is cancelled when its message may have come is either done or leaves the message") {
  if (peer == MPI_PROC_NULL) return;
  for (int repetition = 0; repetition < 40; ++repetition) {
    const int ints = sizes[repetition % 4];
    const bool surely_there = repetition % 8 < 4;
    INFO("ints " << ints << (surely_there ? ", there" : ""));
    Data out(own, ints);
    Data in(own, ints);
    out.put(world.rank());
    MPI_Status status{};
    helpers.phase([&] {
      MPI_Request send = MPI_REQUEST_NULL;
      MPI_Request receive = MPI_REQUEST_NULL;
      receive_later<MPI_Irecv>(in, {world, peer, tag}, nullptr, &receive);
      send_later<MPI_Issend>(out, {world, peer, tag}, &send);
      if (surely_there) {
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        say_done(world, peer);
        await_done(world, peer);
      }
      MPI_Cancel(&receive);
      CHECK(complete(own.of(completings()), receive, &status) == MPI_SUCCESS);
      if (was_cancelled(status)) receive_at_once<MPI_Recv>(in, {world, peer, tag}, &status, nullptr);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    });
    CHECK(in.holds(peer, ints));
    check_status(status, peer, tag, in, ints);
  }
}

#if MPI_VERSION >= 4
namespace {

/// Starts an exchange of messages with `peer`: sends `out` and receives into `in`. Returns its request.
MPI_Request exchange(const Data& out, const Data& in, int peer) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isendrecv(out.address(), out.count(), out.type(), peer, tag, in.address(), in.count(), in.type(), peer,
                tag, MPI_COMM_WORLD, &request);
  return request;
}

/// Starts an exchange with `peer` in which the received message replaces that in `data`. Returns its request.
MPI_Request replace(const Data&, const Data& data, int peer) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isendrecv_replace(data.address(), data.count(), data.type(), peer, tag, peer, tag, MPI_COMM_WORLD,
                        &request);
  return request;
}

} // namespace

TEST_CASE_METHOD(Pairs, "An exchange that is freed is carried out all the same") {
  for (const auto start : {exchange, replace}) {
    exchange_each_size([&](Data& out, Data& in, int ints) {
      if (start == replace) in.put(world.rank());
      MPI_Request request = start(out, in, peer);
      CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
      CHECK(request == MPI_REQUEST_NULL);
      int flag = 0;
      while (!in.holds(peer, ints)) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      say_done(world, peer);
      await_done(world, peer);
    });
  }
}

TEST_CASE_METHOD(Pairs, "An exchange cannot be cancelled, and goes on when this was tried") {
  exchange_each_size([&](Data& out, Data& in, int ints) {
    MPI_Status status{};
    MPI_Request request = exchange(out, in, peer);
    CHECK(MPI_Cancel(&request) != MPI_SUCCESS);
    CHECK(complete(own.of(completings()), request, &status) == MPI_SUCCESS);
    check_status(status, peer, tag, in, ints);
  });
}

TEST_CASE_METHOD(Pairs, "An exchange whose send MPI rejects receives nothing") {
  exchange_each_size([&](Data& out, Data& in, int) {
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK(class_of(MPI_Isendrecv(out.address(), -1, out.type(), peer, tag, in.address(), in.count(),
                                 in.type(), peer, tag, world, &request)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Isendrecv_replace(in.address(), -1, in.type(), peer, tag, peer, tag, world,
                                         &request)) == MPI_ERR_COUNT);
    CHECK(in.unchanged());
    request = exchange(out, in, peer);
    CHECK(complete(own.of(completings()), request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  });
}

TEST_CASE_METHOD(Pairs, "A partitioned transfer passes") {
  // Ranks without partner exchange with themselves: Open MPI 6 waits until all ranks have a partitioned one.
  const int other = peer == MPI_PROC_NULL ? world.rank() : peer;
  constexpr int partitions = 4;
  constexpr int each = 5000;
  const std::vector<int> out = contents(world.rank(), partitions * each);
  std::vector<int> in(out.size());
  helpers.phase([&] {
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Precv_init(in.data(), partitions, each, MPI_INT, other, tag, world, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out.data(), partitions, each, MPI_INT, other, tag, world, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests.data());
    for (int partition = partitions; partition-- > 0;) MPI_Pready(partition, requests[1]);
    CHECK(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  });
  CHECK(in == contents(other, partitions * each));
}
#endif
