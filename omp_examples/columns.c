/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program that calls MPI outside of parallel regions only, and knows nothing of teams: the threads of each
 * process compute a table of two columns, then its first column goes to the next process, or to itself if
 * there is no other, as a vector. Preloaded with MPI_HELPER_THREADS=openmp the library has the threads help.
 * Shows the median of the times that sending and receiving took, and checks what came. */

#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 2 };

static int compare(const void* one, const void* other) {
  const double difference = *(const double*)one - *(const double*)other;
  return (difference > 0) - (difference < 0);
}

int main(int argc, char** argv) {
  int provided, rank, ranks, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rows = argc > 1 ? atoi(argv[1]) : 1 << 17;
  const int steps = argc > 2 ? atoi(argv[2]) : 5;
  const int next = (rank + 1) % ranks;
  const int before = (rank + ranks - 1) % ranks;
  double* table = malloc((size_t)rows * COLUMNS * sizeof(double));
  double* received = calloc((size_t)rows * COLUMNS, sizeof(double));
  double* times = malloc((size_t)steps * sizeof(double));
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, COLUMNS, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);

  for (int step = 0; step < steps; ++step) {
#pragma omp parallel for
    for (int row = 0; row < rows; ++row) {
      for (int at = 0; at < COLUMNS; ++at) table[row * COLUMNS + at] = rank + step + row + at;
    }

    const double start = MPI_Wtime();
    MPI_Sendrecv(table, 1, column, next, 0, received, 1, column, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    times[step] = MPI_Wtime() - start;

#pragma omp parallel for reduction(+ : wrong)
    for (int row = 0; row < rows; ++row) wrong += received[row * COLUMNS] != before + step + row;
  }

  if (wrong > 0) fprintf(stderr, "rank %d: %d values are wrong\n", rank, wrong);
  qsort(times, (size_t)steps, sizeof(double), compare);
  if (rank == 0) printf("%.3f ms a step\n", times[steps / 2] * 1e3);
  MPI_Type_free(&column);
  free(table);
  free(received);
  free(times);
  MPI_Finalize();
  return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
