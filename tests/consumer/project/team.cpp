// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi_helper.hpp>

#include <array>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::array<int, 2> sums{1, 2};
  {
    mpi_helper::team team(0, 1);
    auto phase = team.join();
    phase.allreduce(sums, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return sums == std::array{ranks, 2 * ranks} ? 0 : 1;
}
