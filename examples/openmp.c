/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Example 1 of the proposal "Support of horizontal parallelism (a.k.a. Helper Threads)": all threads compute,
 * then one of them calls MPI_Allreduce and the others help. */

#include <mpi_helper.h>
#include <omp.h>
#include <stdio.h>

enum { COUNT = 1 << 21, CALLS = 20 };

static int x[COUNT], sum[COUNT];

int main(int argc, char** argv) {
  int provided, rank, ranks, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

#pragma omp parallel
  {
    MPI_Helper_team team; /* each thread has its own handle */
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);

    for (int round = 0; round < 4; ++round) { /* 0 and 1 warm up; 1 and 3 have a team */
#pragma omp for
      for (int i = 0; i < COUNT; ++i) x[i] = (rank + 1) * (i % 100 + round);

      if (round % 2 == 1) MPI_Helper_join(team);
#pragma omp barrier
      if (omp_get_thread_num() == 0) {
        const double begin = MPI_Wtime();
        for (int call = 0; call < CALLS; ++call)
          MPI_Allreduce(x, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        const double rate = CALLS * sizeof x / (MPI_Wtime() - begin) / 1e9;
        if (rank == 0 && round > 1)
          printf("%s a team: %.2f GB/s\n", round % 2 == 1 ? "with" : "without", rate);
      }
      if (round % 2 == 1) MPI_Helper_leave(team); /* the others help until all are here */
#pragma omp barrier

#pragma omp for reduction(+ : wrong)
      for (int i = 0; i < COUNT; ++i) wrong += sum[i] != ranks * (ranks + 1) / 2 * (i % 100 + round);
    }
    MPI_Helper_team_free(&team);
  }

  if (wrong > 0) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
