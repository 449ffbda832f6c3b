// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests messages from and to buffers that the CPU cannot touch. If the CPU can touch the non-contiguous data
// of a sender, the message is announced.

#include <mpi_helper.h>

#include "device/cases.hpp"
#include "layout/type.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

/// Returns a type of every second of `count` numbers.
Type every_second(int count) {
  return Type(PMPI_Type_vector, count, 1, 2, MPI_LONG);
}

using Receive = std::function<void(void* buffer, MPI_Datatype type, int from, MPI_Status* status)>;

const std::vector<Receive>& ways_to_receive() {
  static const std::vector<Receive> ways{
      [](void* buffer, MPI_Datatype type, int from, MPI_Status* status) {
        MPI_Recv(buffer, 1, type, from, 0, MPI_COMM_WORLD, status);
      },
      [](void* buffer, MPI_Datatype type, int from, MPI_Status* status) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(buffer, 1, type, from, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, status);
      },
      [](void* buffer, MPI_Datatype type, int from, MPI_Status* status) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(buffer, 1, type, from, 0, MPI_COMM_WORLD, &request);
        for (int done = 0; done == 0;) MPI_Test(&request, &done, status);
      },
      [](void* buffer, MPI_Datatype type, int from, MPI_Status* status) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Recv_init(buffer, 1, type, from, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, status);
        MPI_Request_free(&request);
      },
      [](void* buffer, MPI_Datatype type, int from, MPI_Status* status) {
        MPI_Probe(from, 0, MPI_COMM_WORLD, status);
        MPI_Recv(buffer, 1, type, from, 0, MPI_COMM_WORLD, status);
      },
      [](void* buffer, MPI_Datatype type, int from, MPI_Status* status) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Mprobe(from, 0, MPI_COMM_WORLD, &message, status);
        MPI_Mrecv(buffer, 1, type, &message, status);
      },
  };
  return ways;
}

/// Sends `sent` numbers of memory `from` to `partner`. Receives as many, into a buffer for `room` numbers.
void exchange(int partner, Where from, int sent, int room, const Receive& receive) {
  const auto numbers = static_cast<std::size_t>(2 * room);
  const Type out_type = every_second(sent), in_type = every_second(room);
  Memory out(from, numbers), in(Where::gpu, numbers);
  out.set(own_number);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(out.at(), 1, out_type, partner, 0, MPI_COMM_WORLD, &request);
  MPI_Status status;
  receive(in.at(), in_type, partner, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int received = 0;
  MPI_Get_elements(&status, MPI_LONG, &received);
  CHECK(received == sent);
  const auto come = static_cast<std::size_t>(2 * sent);
  CHECK(in.has([&](std::size_t i) { return i % 2 == 0 && i < come ? number(partner, i) : -1; }));
}

} // namespace

TEST_CASE("messages arrive, announced or not, however they are received") {
  const int partner = rank() ^ 1;
  if (partner >= ranks()) return;
  Helpers helpers;
  for (const int sent : {8, 11, 12, 2000, 50000}) { // an RTS has the size of 8 to 11 numbers
    for (const int room : {sent, 60000}) {
      for (const Where from : {Where::host, Where::gpu}) {
        for (const Receive& receive : ways_to_receive())
          helpers.phase([&] { exchange(partner, from, sent, room, receive); });
      }
    }
  }
}

TEST_CASE("a message replaces another") {
  const int partner = rank() ^ 1;
  if (partner >= ranks()) return;
  Helpers helpers;
  for (const int count : {8, 50000}) {
    for (const int gpus : {0, 1}) {
      helpers.phase([&] {
        const Type type = every_second(count);
        Memory data(rank() % 2 == gpus ? Where::gpu : Where::host, 2 * static_cast<std::size_t>(count));
        data.set(own_number);
        CHECK(MPI_Sendrecv_replace(data.at(), 1, type, partner, 0, partner, 0, MPI_COMM_WORLD,
                                   MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(data.has([&](std::size_t i) { return number(i % 2 == 0 ? partner : rank(), i); }));
      });
    }
  }
}

TEST_CASE("small messages of a type of MPI's own arrive") {
  const int partner = rank() ^ 1;
  if (partner >= ranks()) return;
  Helpers helpers;
  for (const int count : {4, 8, 100, 1000}) {
    for (const bool is_blocking : {true, false}) {
      helpers.phase([&] {
        const auto numbers = static_cast<std::size_t>(count);
        Memory out(Where::gpu, numbers), in(Where::gpu, numbers);
        out.set(own_number);
        MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        if (!is_blocking) MPI_Irecv(in.at(), count, MPI_LONG, partner, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out.at(), count, MPI_LONG, partner, 0, MPI_COMM_WORLD, &requests[1]);
        if (is_blocking) MPI_Recv(in.at(), count, MPI_LONG, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(in.has([&](std::size_t i) { return number(partner, i); }));
      });
    }
  }
}
