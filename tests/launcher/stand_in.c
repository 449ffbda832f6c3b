// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Imitates the library, built for another MPI: the launcher looks for a file that is linked to that MPI.

#include <mpi.h>

int MPI_Helper_join(void) {
  return MPI_Barrier(MPI_COMM_WORLD); // keeps the linker from dropping MPI
}
