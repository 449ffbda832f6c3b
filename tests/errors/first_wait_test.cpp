// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "errors/faults.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

// A program of its own, so that the objects that the library makes at their first use do not exist yet.

using namespace test_support;

TEST_CASE("A thread that becomes a member by its first call is told if there is no memory for that") {
  if (team_size() != 0) return;
  set_unnamed_errhandler(MPI_ERRORS_RETURN);
  int code = MPI_SUCCESS;
  {
    const Injected injected({"operator new", 1, true});
    code = MPI_Barrier(MPI_COMM_SELF);
  }
  CHECK(code == MPI_ERR_NO_MEM);
  set_unnamed_errhandler(MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("A process whose memory is short when it first waits, waits all the same") {
  Helpers helpers;
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_ERR_OTHER;
  int probe = MPI_ERR_OTHER;
  int found = 1;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  helpers.phase([&] {
    MPI_Comm_free(&comm); // in transparent mode, makes the thread a member without waiting
    const Injected injected({"operator new", 1, true});
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    probe = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  });
  CHECK(code == MPI_SUCCESS);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK(probe == MPI_SUCCESS);
  CHECK(found == 0);
}
