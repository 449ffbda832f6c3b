/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* An OpenMP program with distinct phases of computation and communication: Example 1 of the proposal "Support
 * of horizontal parallelism (a.k.a. Helper Threads)". One thread calls MPI_Allreduce; the others, which would
 * have nothing to do until it returns, go straight to LEAVE and help to carry it. */

#include "arguments.h"

#include <mpi_helper.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 20 };

static double addends[COUNT], sums[COUNT];

int main(int argc, char** argv) {
  int provided, rank, ranks, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  read_arguments(argc, argv, 0, NULL, NULL, NULL);

#pragma omp parallel
  {
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);

    /* All threads compute … */
#pragma omp for nowait
    for (int i = 0; i < COUNT; ++i) addends[i] = (rank + 1) * (i % 1000);

    /* … and all communicate. JOIN does not wait; the barrier says that all have computed and joined. */
    MPI_Helper_join(team);
#pragma omp barrier
    if (omp_get_thread_num() == 0) MPI_Allreduce(addends, sums, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Helper_leave(team);

    /* LEAVE returns when every member has come to it, so the sums are there for all threads to use. */
#pragma omp for reduction(+ : wrong)
    for (int i = 0; i < COUNT; ++i) wrong += sums[i] != ranks * (ranks + 1) / 2 * (i % 1000);

    MPI_Helper_team_free(&team);
  }

  if (wrong == 0 && rank == 0) printf("The sums are right: %d, over %d ranks\n", COUNT, ranks);
  if (wrong > 0) fprintf(stderr, "rank %d: %d of %d sums are wrong\n", rank, wrong, COUNT);
  MPI_Finalize();
  return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
