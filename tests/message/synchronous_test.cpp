// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/message.hpp"
#include "message/requests.hpp"
#include "message/roles.hpp"

// A synchronous send completes only when its receive has begun, even if a probe has found the message before.

using namespace test_support;

namespace {

constexpr int tag = 1;

/// A way to find the message of rank 0, call `wait()`, and then receive the message into `data`.
struct Finding {
  const char* name;
  void (*receive)(const Data& data, void (*wait)());
};

void await_go() {
  PMPI_Recv(nullptr, 0, MPI_INT, 0, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

template <auto Probe>
void probed(const Data& data, void (*wait)()) {
  MPI_Status status{}; // MPI may not set all fields
  for (int found = 0; found == 0;) {
    if constexpr (std::is_same_v<decltype(Probe), decltype(&MPI_Probe)>) {
      Probe(0, tag, MPI_COMM_WORLD, &status);
      found = 1;
    } else {
      Probe(0, tag, MPI_COMM_WORLD, &found, &status);
    }
  }
  check_status(status, 0, tag, data, data.ints());
  wait();
  MPI_Recv(data.address(), data.count(), data.type(), 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void matched(const Data& data, void (*wait)()) {
  MPI_Status status{}; // MPI may not set all fields
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, &status);
  check_status(status, 0, tag, data, data.ints());
  wait();
  MPI_Mrecv(data.address(), data.count(), data.type(), &message, MPI_STATUS_IGNORE);
}

/// Finds the message, and then receives it into a buffer that is too small, which is an error.
void truncated(const Data&, void (*wait)()) {
  int room = 0;
  MPI_Probe(0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wait();
  CHECK(class_of(MPI_Recv(&room, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
}

/// Starts to send `data` and tests the request many times. Only then lets rank 1 receive.
void send(const Data& data, void (*start)(const Data&, MPI_Request*)) {
  MPI_Request request = MPI_REQUEST_NULL;
  start(data, &request);
  PMPI_Recv(nullptr, 0, MPI_INT, 1, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int done = 0;
  for (int i = 0; i < 1000 && done == 0; ++i) {
    if (i == 500) helper::message::rescue();
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  CHECK(done == 0);
  PMPI_Send(nullptr, 0, MPI_INT, 1, tag + 1, MPI_COMM_WORLD);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

void start_issend(const Data& data, MPI_Request* request) {
  MPI_Issend(data.address(), data.count(), data.type(), 1, tag, MPI_COMM_WORLD, request);
}

void found() {
  PMPI_Send(nullptr, 0, MPI_INT, 0, tag + 1, MPI_COMM_WORLD);
  await_go();
}

Data scattered(int ints) {
  return Data({Type(PMPI_Type_vector, ints, 1, 2, MPI_INT), 1}, ints);
}

/// Rank 0 learns that rank 1 receives through the library.
void get_ready(int rank) {
  int word = 0;
  if (rank == 0)
    MPI_Send(&word, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
  else
    MPI_Recv(&word, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  PMPI_Barrier(MPI_COMM_WORLD);
}

} // namespace

TEST_CASE("A synchronous send is not complete before its receive has begun") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int ints = GENERATE(16, 20, 23, 5000, 100'000); // native, then announced without and with a rescue
  INFO("ints " << ints);
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  set_unnamed_errhandler(MPI_ERRORS_RETURN);
  for (const Finding& finding : {Finding{"MPI_Probe", probed<&MPI_Probe>},
                                 {"MPI_Iprobe", probed<&MPI_Iprobe>},
                                 {"MPI_Mprobe", matched},
                                 {"too little room", truncated}}) {
    INFO(finding.name);
    Data data = scattered(ints);
    if (world.rank() == 0) data.put(ints);
    helpers.phase([&] {
      get_ready(world.rank());
      if (world.rank() == 0) {
        send(data, start_issend);
      } else {
        finding.receive(data, found);
        CHECK((finding.receive == truncated || data.holds(ints, ints)));
      }
      PMPI_Barrier(world);
    });
  }
  set_unnamed_errhandler(before);
  MPI_Errhandler_free(&before);
}
