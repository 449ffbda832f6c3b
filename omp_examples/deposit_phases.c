/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* See deposit.h. Like deposit_funneled.c, but the threads that would wait are a team and help
 * MPI_Allreduce. LEAVE replaces the barrier after it. */

#include "deposit.h"

#include <mpi_helper.h>
#include <omp.h>

int main(int argc, char** argv) {
  const struct run run = begin(&argc, &argv);
  const int threads = omp_get_max_threads();
  const size_t cells = (size_t)run.cells;
  double* grids = malloc((size_t)threads * cells * sizeof(double));
  double* sum = malloc(cells * sizeof(double));
  double seconds = 0;

#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    MPI_Helper_team team;
    MPI_Helper_team_create(0, threads, &team);
    for (int step = 0; step < run.steps; ++step) {
      deposit(&run, run.rank, thread, threads, step, grids + (size_t)thread * cells);
#pragma omp barrier
      const double start = MPI_Wtime();

#pragma omp for
      for (int cell = 0; cell < run.cells; ++cell) {
        sum[cell] = grids[cell];
        for (int other = 1; other < threads; ++other)
          sum[cell] += grids[(size_t)other * cells + (size_t)cell];
      }
      MPI_Helper_join(team);
#pragma omp master
      MPI_Allreduce(MPI_IN_PLACE, sum, run.cells, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Helper_leave(team);

      if (thread == 0) seconds += MPI_Wtime() - start;
    }
    MPI_Helper_team_free(&team);
  }

  free(grids);
  const int status = end(&run, threads, sum, seconds);
  free(sum);
  return status;
}
