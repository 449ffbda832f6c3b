// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/meetings.hpp"

#include <dlfcn.h>
#include <mpi.h>

static int messages = 0;

int test_support::messages_of_meetings() {
  return messages;
}

extern "C" int PMPI_Isend(const void* data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                          MPI_Request* request) {
  static const auto next = reinterpret_cast<decltype(&PMPI_Isend)>(dlsym(RTLD_NEXT, "PMPI_Isend"));
  if (tag == test_support::meeting_tag) ++messages;
  return next(data, count, type, rank, tag, comm, request);
}
