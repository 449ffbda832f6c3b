// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// MPICH 5.0.2's ABI library lacks PMPI_File_close, and programs that refer to it do not start.

#include <dlfcn.h>
#include <mpi.h>

int PMPI_File_close(MPI_File* file) {
  // MPI's library may precede this one, so it is looked up by name: libraries after this one may lack the
  // function.
  void* const mpi = dlopen("libmpi_abi.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* const own = dlsym(mpi, "PMPI_File_close");
  return reinterpret_cast<int (*)(MPI_File*)>(own != nullptr ? own : dlsym(mpi, "MPI_File_close"))(file);
}
