/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program that manages its own threads and alternates between computation and communication: Example 2 of
 * the proposal "Support of horizontal parallelism (a.k.a. Helper Threads)". All threads compute; then one
 * communicates while the others lend themselves to it. The team lasts for all iterations, a phase for one. */

#define _POSIX_C_SOURCE 200809L /* for pthread_barrier_t */

#include "../omp_examples/arguments.h"

#include <mpi_helper.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ITERATIONS = 10, COUNT = 1 << 16 };

static int rank, ranks;
static double addends[COUNT], sums[COUNT];
static pthread_barrier_t all_joined;

/* A thread's share of an iteration: from the last iteration's sums to this one's addends. */
static void compute(int thread) {
  for (int i = thread; i < COUNT; i += THREADS) addends[i] = sums[i] + rank;
}

static void* compute_only(void* thread) {
  MPI_Helper_team team;
  MPI_Helper_team_create(0, THREADS, &team);
  for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
    compute(*(const int*)thread);
    MPI_Helper_join(team);
    pthread_barrier_wait(&all_joined);
    MPI_Helper_leave(team);
  }
  MPI_Helper_team_free(&team);
  return NULL;
}

static void compute_comm(void) {
  MPI_Helper_team team;
  MPI_Helper_team_create(0, THREADS, &team);
  for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
    compute(0);
    MPI_Helper_join(team);
    pthread_barrier_wait(&all_joined);
    MPI_Allreduce(addends, sums, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Helper_leave(team);
  }
  MPI_Helper_team_free(&team);
}

/* How many sums differ from what one thread of one process computes. */
static int count_wrong(void) {
  int wrong = 0;
  for (int i = 0; i < COUNT; ++i) {
    double expected = i % 7;
    for (int iteration = 0; iteration < ITERATIONS; ++iteration)
      expected = ranks * expected + ranks * (ranks - 1) / 2;
    wrong += sums[i] != expected;
  }
  return wrong;
}

int main(int argc, char** argv) {
  int provided, index[THREADS];
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  read_arguments(argc, argv, 0, NULL, NULL, NULL);
  for (int i = 0; i < COUNT; ++i) sums[i] = i % 7;

  pthread_barrier_init(&all_joined, NULL, THREADS);
  for (int i = 1; i < THREADS; ++i) {
    index[i] = i;
    if (pthread_create(&threads[i], NULL, compute_only, &index[i]) != 0)
      MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  compute_comm();
  for (int i = 1; i < THREADS; ++i) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&all_joined);

  const int wrong = count_wrong();
  if (wrong == 0 && rank == 0) printf("The sums are right: %d, over %d ranks\n", COUNT, ranks);
  if (wrong > 0) fprintf(stderr, "rank %d: %d of %d sums are wrong\n", rank, wrong, COUNT);
  MPI_Finalize();
  return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
