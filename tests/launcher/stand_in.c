// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Imitates the library for another MPI: the launcher looks for a library that is linked to a given MPI.

#include <mpi.h>

int MPI_Helper_join(void) {
  return MPI_Barrier(MPI_COMM_WORLD); // so that the linker does not drop MPI
}
