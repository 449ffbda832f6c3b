// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi_helper.h>

#include <thread>

int main(int argc, char** argv) {
  int provided = 0, ranks = 0, sum = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const auto take_part = [&](bool primary) {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    MPI_Helper_team_create(0, 2, &team);
    MPI_Helper_join(team);
    const int one = 1;
    if (primary) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  };
  std::thread helper(take_part, false);
  take_part(true);
  helper.join();

  MPI_Finalize();
  return sum == ranks ? 0 : 1;
}
