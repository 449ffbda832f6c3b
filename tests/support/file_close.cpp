// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The ABI library of MPICH 5.0.2 lacks PMPI_File_close, so that programs that need the function do not start.

#include <dlfcn.h>
#include <mpi.h>

int PMPI_File_close(MPI_File* file) {
  // The MPI library may precede this one in the search order, and libraries after this one may lack the
  // function. So the function is looked up in the MPI library.
  void* const mpi = dlopen("libmpi_abi.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* const own = dlsym(mpi, "PMPI_File_close");
  return reinterpret_cast<int (*)(MPI_File*)>(own != nullptr ? own : dlsym(mpi, "MPI_File_close"))(file);
}
