// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// From the first error handler of its own on, a program may leave MPI functions by longjmp.

#include <mpi.h>

#include "team/on_jump.hpp"

namespace {

using helper::team::OnJump;

} // namespace

extern "C" {

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  OnJump::expect();
  return PMPI_Comm_create_errhandler(function, errhandler);
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
  OnJump::expect();
  return PMPI_Win_create_errhandler(function, errhandler);
}

int MPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
  OnJump::expect();
  return PMPI_File_create_errhandler(function, errhandler);
}

#if MPI_VERSION >= 4
int MPI_Session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* errhandler) {
  OnJump::expect();
  return PMPI_Session_create_errhandler(function, errhandler);
}
#endif

#ifdef MPICH_NUMVERSION // which still has it, after MPI 3 has removed it
int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  OnJump::expect();
  return PMPI_Errhandler_create(function, errhandler);
}
#endif

} // extern "C"
