/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* See deposit.h. One hybrid collective sums the grids of all threads of all processes: each thread passes
 * its own grid. It replaces the loop over the threads' grids and the barriers around it. */

#include "deposit.h"

#include <mpi_helper.h>
#include <omp.h>

int main(int argc, char** argv) {
  const struct run run = begin(&argc, &argv);
  const int threads = omp_get_max_threads();
  const size_t cells = (size_t)run.cells;
  double* sum = malloc(cells * sizeof(double));
  double seconds = 0;

#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    double* grid = malloc(cells * sizeof(double));
    MPI_Helper_team team;
    MPI_Helper_team_create(0, threads, &team);
    for (int step = 0; step < run.steps; ++step) {
      deposit(&run, run.rank, thread, threads, step, grid);
#pragma omp barrier
      const double start = MPI_Wtime();

      MPI_Helper_join(team);
      MPIX_Helper_allreduce(team, grid, sum, run.cells, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Helper_leave(team);

      if (thread == 0) seconds += MPI_Wtime() - start;
    }
    MPI_Helper_team_free(&team);
    free(grid);
  }

  const int status = end(&run, threads, sum, seconds);
  free(sum);
  return status;
}
