// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// MPICH 5.0.2's library for the ABI has no PMPI_File_close, and programs that refer to it do not start.

#include <dlfcn.h>
#include <mpi.h>

int PMPI_File_close(MPI_File* file) {
  void* const own = dlsym(RTLD_NEXT, "PMPI_File_close");
  return reinterpret_cast<int (*)(MPI_File*)>(own != nullptr ? own
                                                             : dlsym(RTLD_NEXT, "MPI_File_close"))(file);
}
