/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* The common part of the programs columns*.c. The threads of each process compute a table of two columns.
 * Then the first column is sent as a vector to the next process, or to the process itself if there is no
 * other. */

#ifndef COLUMNS_H
#define COLUMNS_H

#include "arguments.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 2 };

static int rank, ranks, rows, steps, wrong;
static double *table, *received, *times;
static MPI_Datatype column;

/* `word`, unless NULL, may follow the two numbers. */
static inline void begin(int* argc, char*** argv, const char* word) {
  const struct argument arguments[] = {{"ROWS", 1 << 17, 1, 1 << 29}, {"STEPS", 5, 1, 1000000}};
  int provided, values[2];
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  read_arguments(*argc, *argv, 2, arguments, values, word);
  rows = values[0];
  steps = values[1];
  table = malloc((size_t)rows * COLUMNS * sizeof(double));
  received = calloc((size_t)rows * COLUMNS, sizeof(double));
  times = malloc((size_t)steps * sizeof(double));
  MPI_Type_vector(rows, 1, COLUMNS, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
}

/* All threads of a region call it. */
static inline void compute(int step) {
#pragma omp for
  for (int row = 0; row < rows; ++row) {
    for (int at = 0; at < COLUMNS; ++at) table[row * COLUMNS + at] = rank + step + row + at;
  }
}

static inline void exchange(int step) {
  const double start = MPI_Wtime();
  MPI_Sendrecv(table, 1, column, (rank + 1) % ranks, 0, received, 1, column, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  times[step] = MPI_Wtime() - start;
}

/* All threads of a region call it. */
static inline void check(int step) {
  const int before = (rank + ranks - 1) % ranks;
#pragma omp for reduction(+ : wrong)
  for (int row = 0; row < rows; ++row) wrong += received[row * COLUMNS] != before + step + row;
}

static inline int compare(const void* one, const void* other) {
  const double difference = *(const double*)one - *(const double*)other;
  return (difference > 0) - (difference < 0);
}

/* Prints the median of the times for sending and receiving. Returns the exit status. */
static inline int end(void) {
  if (wrong > 0) fprintf(stderr, "rank %d: %d values are wrong\n", rank, wrong);
  qsort(times, (size_t)steps, sizeof(double), compare);
  if (rank == 0)
    printf("%d rows, %d steps, %d ranks\n%.3f ms a step\n", rows, steps, ranks, times[steps / 2] * 1e3);
  MPI_Type_free(&column);
  free(table);
  free(received);
  free(times);
  MPI_Finalize();
  return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
