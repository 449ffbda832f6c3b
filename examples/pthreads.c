/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Example 2 of the proposal: POSIX threads alternate between computation and communication. One of them calls
 * MPI_Allreduce, and the others help. */

#define _POSIX_C_SOURCE 200809L /* for pthread_barrier_t */

#include <mpi_helper.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, COUNT = 1 << 20, CALLS = 20 };

static int rank, ranks;
static double x[COUNT], sum[COUNT];
static pthread_barrier_t all;

static void* run(void* main_thread) {
  MPI_Helper_team team; /* each thread has its own handle */
  MPI_Helper_team_create(0, THREADS, &team);

  for (int round = 0; round < 4; ++round) { /* 0 and 1 warm up; 1 and 3 have a team */
    for (int i = main_thread != NULL; i < COUNT; i += THREADS) x[i] = (rank + 1) * (i % 100 + round);

    if (round % 2 == 1) MPI_Helper_join(team);
    pthread_barrier_wait(&all);
    if (main_thread != NULL) {
      const double begin = MPI_Wtime();
      for (int call = 0; call < CALLS; ++call)
        MPI_Allreduce(x, sum, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      const double rate = CALLS * sizeof x / (MPI_Wtime() - begin) / 1e9;
      if (rank == 0 && round > 1) printf("%s a team: %.2f GB/s\n", round % 2 == 1 ? "with" : "without", rate);
    }
    if (round % 2 == 1) MPI_Helper_leave(team); /* the others help until all are here */
    pthread_barrier_wait(&all);
  }
  MPI_Helper_team_free(&team);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t helper;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  pthread_barrier_init(&all, NULL, THREADS);
  if (pthread_create(&helper, NULL, run, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  run(&helper);
  pthread_join(helper, NULL);

  for (int i = 0; i < COUNT; ++i)
    if (sum[i] != ranks * (ranks + 1) / 2 * (i % 100 + 3)) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
