/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* The common part of the programs deposit_*.c: the particles of a particle-in-cell code in which every
 * process has a copy of the grid. In every step each thread adds the charge of its particles to its own
 * grid. Then the grids of all threads of all processes are summed. The programs differ in how they sum. */

#ifndef DEPOSIT_H
#define DEPOSIT_H

#include "arguments.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES = 20000 }; /* of each thread */

struct run {
  int rank, ranks, cells, steps;
};

/* Returns the cell of a particle in a step, a pseudo-random one. */
static inline int cell_of(const struct run* run, unsigned particle, int step) {
  unsigned place = particle * 2654435761u + (unsigned)step * 40503u;
  place ^= place >> 15;
  return (int)(place * 2246822519u % (unsigned)run->cells);
}

/* Adds the charge of one thread's particles to an empty grid. */
static inline void deposit(const struct run* run, int rank, int thread, int threads, int step, double* grid) {
  const unsigned first = (unsigned)(rank * threads + thread) * PARTICLES;
  memset(grid, 0, (size_t)run->cells * sizeof(double));
  for (unsigned particle = first; particle < first + PARTICLES; ++particle)
    grid[cell_of(run, particle, step)] += particle % 2 ? -1 : 2;
}

static inline struct run begin(int* argc, char*** argv) {
  const struct argument arguments[] = {{"CELLS", 1 << 14, 1, 1 << 28}, {"STEPS", 5, 1, 1000000}};
  int provided, values[2];
  struct run run;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  read_arguments(*argc, *argv, 2, arguments, values, NULL);
  run.cells = values[0];
  run.steps = values[1];
  return run;
}

/* Prints the time of the summation per step, and checks the last step's sum against a serial sum. Returns
 * the exit status. Every process has the same number of threads. */
static inline int end(const struct run* run, int threads, const double* sum, double seconds) {
  double* grid = malloc((size_t)run->cells * sizeof(double));
  double* expected = calloc((size_t)run->cells, sizeof(double));
  int wrong = 0;
  for (int rank = 0; rank < run->ranks; ++rank) {
    for (int thread = 0; thread < threads; ++thread) {
      deposit(run, rank, thread, threads, run->steps - 1, grid);
      for (int cell = 0; cell < run->cells; ++cell) expected[cell] += grid[cell];
    }
  }
  for (int cell = 0; cell < run->cells; ++cell) wrong += sum[cell] != expected[cell];
  if (wrong > 0) fprintf(stderr, "rank %d: %d of %d cells are wrong\n", run->rank, wrong, run->cells);
  if (run->rank == 0)
    printf("%d cells, %d steps, %d ranks of %d threads\n%.3f ms a step\n", run->cells, run->steps, run->ranks,
           threads, seconds / run->steps * 1e3);
  free(grid);
  free(expected);
  MPI_Finalize();
  return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
