// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "message/partners.hpp"

// Operations that are native even in phases, among announced messages. None of them may receive an RTS.

using namespace test_support;

namespace {

constexpr int tag = 1;
constexpr int ints = 30'000;

/// Returns a buffer of single ints with gaps. A send in a phase announces it.
Data scattered(int number = ints) {
  Type type(PMPI_Type_vector, number, 1, 2, MPI_INT);
  return Data({std::move(type), 1}, number);
}

/// A message from this rank to `peer`, and one from `peer`. Both are in flight from the constructor on.
class Messages {
public:
  Messages(MPI_Comm comm, int peer, int own_key, int key) : key_(key) {
    out_.put(own_key);
    MPI_Irecv(in_.address(), in_.count(), in_.type(), peer, tag, comm, &requests[0]);
    MPI_Isend(out_.address(), out_.count(), out_.type(), peer, tag, comm, &requests[1]);
  }

  /// Returns whether the message of `peer` has arrived. Call it when the requests are complete.
  bool have_come() const { return in_.holds(key_, ints); }

  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};

private:
  Data out_ = scattered();
  Data in_ = scattered();
  int key_;
};

struct Native : Partners {
  const bool has_odd_rank = world.size() % 2 != 0;

  /// Calls `body(messages)` in a phase, while announced messages are in flight on MPI_COMM_WORLD. `body` must
  /// complete them.
  template <class Body>
  void among_messages(const Body& body) {
    for (const bool first :
         {true, false}) { // the first messages are native, and show that both receive by the library
      helpers.phase([&] {
        Messages messages(world, peer, world.rank(), peer);
        if (first)
          CHECK(MPI_Waitall(2, messages.requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        else
          body(messages);
        CHECK(messages.have_come());
      });
      PMPI_Barrier(world);
    }
  }

  /// Exchanges messages with the partner on `comm`, where it has rank `there`, several times.
  void exchange(MPI_Comm comm, int there) {
    for (int time = 0; time < 3; ++time) {
      helpers.phase([&] {
        Messages messages(comm, there, world.rank(), peer);
        CHECK(MPI_Waitall(2, messages.requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(messages.have_come());
      });
    }
  }
};

} // namespace

#if MPI_VERSION >= 4
TEST_CASE_METHOD(Native, "Partitioned transfers do not meet an RTS with their envelope") {
  if (has_odd_rank) return;
  if (is_open_mpi()) return; // its partitions with gaps lie elsewhere
  constexpr int partitions = 4;
  Data out = scattered(partitions * ints);
  Data in = scattered(partitions * ints);
  Type part(PMPI_Type_vector, ints, 1, 2, MPI_INT);
  Type partition(PMPI_Type_create_resized, part, MPI_Aint{0}, MPI_Aint{8} * ints);
  out.put(world.rank());
  among_messages([&](Messages& messages) {
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Precv_init(in.address(), partitions, 1, partition, peer, tag, world, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out.address(), partitions, 1, partition, peer, tag, world, MPI_INFO_NULL, &requests[1]);
    CHECK(MPI_Startall(2, requests.data()) == MPI_SUCCESS);
    MPI_Pready(3, requests[1]);
    MPI_Pready_range(0, 1, requests[1]);
    int last = 2;
    MPI_Pready_list(1, &last, requests[1]);
    for (int p = 0; p < partitions; ++p) {
      for (int arrived = 0; arrived == 0;) CHECK(MPI_Parrived(requests[0], p, &arrived) == MPI_SUCCESS);
    }
    CHECK(in.holds(peer, partitions * ints));
    CHECK(MPI_Waitall(2, messages.requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  });
}

TEST_CASE_METHOD(Native, "Messages on a communicator of a session arrive") {
  if (has_odd_rank) return;
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  REQUIRE(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  REQUIRE(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_create_from_group(group, "messages", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
          MPI_SUCCESS);
  exchange(comm, peer);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}
#endif

TEST_CASE_METHOD(Native, "Messages on a communicator that was made without blocking arrive") {
  if (has_odd_rank) return;
  MPI_Comm comm = MPI_COMM_NULL;
  helpers.phase([&] {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(world, &comm, &request);
    Messages messages(world, peer, world.rank(), peer);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Waitall(2, messages.requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(messages.have_come());
  });
  exchange(comm, peer);
  MPI_Comm_free(&comm);
}

TEST_CASE_METHOD(Native, "What is put into and got from windows are data") {
  if (has_odd_rank) return;
  Data out = scattered();
  Data in = scattered();
  Data got = scattered();
  out.put(world.rank());
  constexpr MPI_Aint bytes = 8 * MPI_Aint{ints};
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(in.address(), bytes, 1, MPI_INFO_NULL, world, &win);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group origin = MPI_GROUP_NULL;
  PMPI_Comm_group(world, &all);
  PMPI_Group_incl(all, 1, &peer, &origin);
  among_messages([&](Messages& messages) {
    MPI_Win_post(origin, 0, win);
    MPI_Win_start(origin, 0, win);
    CHECK(MPI_Put(out.address(), out.count(), out.type(), peer, 0, out.count(), out.type(), win) ==
          MPI_SUCCESS);
    MPI_Win_complete(win);
    for (int done = 0; done == 0;) MPI_Win_test(win, &done);
    CHECK(in.holds(peer, ints));
    MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, win);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Rget(got.address(), got.count(), got.type(), peer, 0, got.count(), got.type(), win, &request);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Win_unlock(peer, win);
    CHECK(got.holds(world.rank(), ints));
    CHECK(MPI_Waitall(2, messages.requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  });
  PMPI_Group_free(&origin);
  PMPI_Group_free(&all);
  MPI_Win_free(&win);
}

TEST_CASE_METHOD(Native, "What is written to and read from files are data") {
  if (has_odd_rank) return;
  std::string path = "/tmp/mpi_helper_test.XXXXXX";
  if (world.rank() == 0) close(mkstemp(path.data()));
  PMPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, world);
  Data out = scattered();
  Data in = scattered();
  out.put(world.rank());
  MPI_File file = MPI_FILE_NULL;
  REQUIRE(MPI_File_open(world, path.c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file) ==
          MPI_SUCCESS);
  const auto place_of = [](int rank) { return MPI_Offset{4} * ints * rank; };
  among_messages([&](Messages& messages) {
    std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, messages.requests[0], messages.requests[1]};
    MPI_File_iwrite_at(file, place_of(world.rank()), out.address(), out.count(), out.type(), &requests[0]);
    CHECK(MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    MPI_File_sync(file);
    PMPI_Barrier(world);
    MPI_File_sync(file);
    MPI_Status status{};
    CHECK(MPI_File_read_at(file, place_of(peer), in.address(), in.count(), in.type(), &status) ==
          MPI_SUCCESS);
    CHECK(in.holds(peer, ints));
  });
  MPI_File_close(&file);
  if (world.rank() == 0) std::remove(path.c_str());
}

TEST_CASE_METHOD(Native,
                 "Generalised requests are completed among messages, with the status that they are given") {
  if (has_odd_rank) return;
  constexpr int source = 17;
  const auto query = [](void*, MPI_Status* status) {
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    MPI_Status_set_elements(status, MPI_INT, ints);
    return MPI_Status_set_cancelled(status, 0);
  };
  const auto free = [](void*) -> int { return MPI_SUCCESS; }; // in the ABI MPI_SUCCESS is no int
  const auto cancel = [](void*, int) -> int { return MPI_SUCCESS; };
  for (const Completing& completing : completings()) {
    INFO(completing.name);
    among_messages([&](Messages& messages) {
      std::array<MPI_Request, 3> requests{messages.requests[0], MPI_REQUEST_NULL, messages.requests[1]};
      std::array<MPI_Status, 3> statuses{};
      MPI_Grequest_start(query, free, cancel, nullptr, &requests[1]);
      int all = -1;
      CHECK(MPI_Testall(3, requests.data(), &all, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
      CHECK(all == 0);
      MPI_Grequest_complete(requests[1]);
      CHECK(completing.complete(requests, statuses.data()) == MPI_SUCCESS);
      CHECK(statuses[1].MPI_SOURCE == source);
      int count = 0;
      PMPI_Get_count(&statuses[1], MPI_INT, &count);
      CHECK(count == ints);
    });
  }
}

namespace {

/// Connects the first two ranks by a port. Returns their inter-communicator, or MPI_COMM_NULL if MPI cannot
/// do that, like MPICH 4.0.2 of Debian.
MPI_Comm by_port(const Comm& world) {
  std::array<char, MPI_MAX_PORT_NAME> port{};
  int opened = MPI_SUCCESS;
  if (world.rank() == 0) opened = MPI_Open_port(MPI_INFO_NULL, port.data());
  PMPI_Bcast(&opened, 1, MPI_INT, 0, world);
  if (opened != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, 0, world);
  MPI_Comm made = MPI_COMM_NULL;
  if (world.rank() == 0) {
    CHECK(MPI_Comm_accept(port.data(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &made) == MPI_SUCCESS);
    MPI_Close_port(port.data());
  } else {
    CHECK(MPI_Comm_connect(port.data(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &made) == MPI_SUCCESS);
  }
  return made;
}

/// Returns a socket that connects the first two ranks.
int open_socket(const Comm& world) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  if (world.rank() == 1) {
    PMPI_Recv(&address.sin_port, sizeof address.sin_port, MPI_BYTE, 0, tag, world, MPI_STATUS_IGNORE);
    REQUIRE(connect(made, general, size) == 0);
    return made;
  }
  bind(made, general, size);
  getsockname(made, general, &size);
  listen(made, 1);
  PMPI_Send(&address.sin_port, sizeof address.sin_port, MPI_BYTE, 1, tag, world);
  const int accepted = accept(made, nullptr, nullptr);
  close(made);
  return accepted;
}

/// Connects the first two ranks by a socket. Returns their inter-communicator, or MPI_COMM_NULL.
MPI_Comm by_socket(const Comm& world) {
  const int connection = open_socket(world);
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Comm_join(connection, &made);
  close(connection);
  return code == MPI_SUCCESS ? made : MPI_COMM_NULL;
}

} // namespace

TEST_CASE_METHOD(Native, "Messages to processes that were connected arrive") {
  if (world.size() != 2) return;
  set_unnamed_errhandler(MPI_ERRORS_RETURN);
  for (const auto connect : {by_port, by_socket}) {
    MPI_Comm comm = connect(world);
    if (comm == MPI_COMM_NULL) continue;
    exchange(comm, 0);
    MPI_Comm_disconnect(&comm);
  }
}
