// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// These are communicator constructors that have a non-blocking form.

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"

using namespace helper;
using namespace helper::interpose;

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_dup, lend<PMPI_Comm_idup>>::call(comm, newcomm);
}

#if MPI_VERSION >= 4
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_dup_with_info, lend<PMPI_Comm_idup_with_info>>::call(comm, info, newcomm);
}
#endif

} // extern "C"
