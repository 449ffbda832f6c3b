// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// MPICH 5.0.2's library for the ABI has no PMPI_File_close, and programs that refer to it do not start.

#include <dlfcn.h>
#include <mpi.h>

int PMPI_File_close(MPI_File* file) {
  // MPI's own library, which may stand before this one: what follows this one need not have it.
  void* const mpi = dlopen("libmpi_abi.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* const own = dlsym(mpi, "PMPI_File_close");
  return reinterpret_cast<int (*)(MPI_File*)>(own != nullptr ? own : dlsym(mpi, "MPI_File_close"))(file);
}
