// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Under MPI_ERRORS_ARE_FATAL a function that the library calls fails in an operation of the team. MPI must
// end the program.

#include <mpi_helper.h>

#include <cstdio>

#include "errors/faults.hpp"

int main(int argc, char** argv) {
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  static int numbers[10'000];
  MPI_Init(&argc, &argv);
  MPI_Helper_team_create(1, 1, &team);
  MPI_Helper_join(team);
  MPI_Bcast(numbers, 10'000, MPI_INT, 0, MPI_COMM_WORLD);
  const test_support::Injected injected({"PMPI_Isend_c", 1});
  MPI_Bcast(numbers, 10'000, MPI_INT, 0, MPI_COMM_WORLD);
  std::puts("MPI_Bcast returned");
  MPI_Finalize();
  return 0;
}
