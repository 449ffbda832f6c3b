// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <csetjmp>
#include <vector>

#include "errors/faults.hpp"
#include "message/message.hpp"
#include "ranks/world.hpp"
#include "support/as_shared_library.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

// At MPI_THREAD_MULTIPLE, MPI calls an error handler while the library tests the units of a partitioned
// message. At lower levels the library makes MPI return the errors. It reports them when the message has
// finished.

#ifdef MPI_HELPER_PARTITIONED

using namespace test_support;

namespace {

constexpr int partitions = 4;
constexpr int numbers = 64 * 1024; // contiguous: MPI sends the units without operations of the library

std::jmp_buf back;

void leave(MPI_Comm*, int*, ...) {
  std::longjmp(back, 1);
}

/// Returns whether the error handler has left MPI_Wait by a jump. Nothing in this frame has a destructor.
bool is_wait_left(MPI_Request* request) {
  if (setjmp(back) != 0) return true;
  MPI_Wait(request, MPI_STATUS_IGNORE);
  return false;
}

/// Lets the first PMPI_Test fail that MPI_Wait makes. Returns whether the error handler has left MPI_Wait by
/// a jump.
bool is_failed_wait_left(MPI_Request* request) {
  const MPI_Comm own = helper::ranks::world::comm();
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Errhandler leaving = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(own, &before);
  MPI_Comm_create_errhandler(leave, &leaving);
  MPI_Comm_set_errhandler(own, leaving);
  Injected injected({"PMPI_Test", 1});
  const bool is_left = is_wait_left(request);
  injected.remove();
  MPI_Comm_set_errhandler(own, before);
  MPI_Errhandler_free(&leaving);
  MPI_Errhandler_free(&before);
  return is_left;
}

} // namespace

TEST_CASE(
    "A partitioned request whose MPI_Wait an error handler has left by a jump is completed by the next") {
  Helpers helpers;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool sends = rank == 0;
  std::vector<int> memory(numbers, sends ? 1 : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  helpers.phase([&] {
    constexpr int each = numbers / partitions;
    if (sends)
      MPI_Psend_init(memory.data(), partitions, each, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
      MPI_Precv_init(memory.data(), partitions, each, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (const bool is_first : {true, false}) { // the first message is native
      if (!sends && !is_first) MPI_Barrier(MPI_COMM_WORLD);
      MPI_Start(&request);
      if (sends) MPI_Pready_range(0, partitions - 1, request);
      if (sends && !is_first) {
        MPI_Barrier(MPI_COMM_WORLD); // all units have finished; MPI_Wait calls the handler
        CHECK(is_failed_wait_left(&request));
      }
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(memory == std::vector<int>(numbers, 1));
    }
    MPI_Request_free(&request);
  });
}

#endif
