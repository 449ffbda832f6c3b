// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// A program for `mpi_helper advise` whose time goes into one thing, by far: its argument says which.
//
//   late       the last rank comes 50 ms late to each of 12 reductions
//   columns    ranks pack columns of a matrix
//   exchange   pairs of ranks exchange such columns, and then reduce their sum
//   compute    MPI has next to nothing to do

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rows = 1 << 16 };

static double matrix[2 * rows];
static double received[2 * rows];

static void be_late(int rank, int size) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) {
    if (rank == size - 1) usleep(50000);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void pack_columns(MPI_Datatype column) {
  for (int i = 0; i < 200; ++i) {
    int position = 0;
    MPI_Pack(matrix, 1, column, received, sizeof received, &position, MPI_COMM_WORLD);
  }
}

static void exchange_columns(MPI_Datatype column, int rank, int size) {
  const int peer = rank ^ 1;
  for (int i = 0; i < 20 && peer < size; ++i) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(received, 1, column, peer, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(matrix, 1, column, peer, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Allreduce(MPI_IN_PLACE, matrix, rows, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void compute(void) {
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 2 * rows; ++j) matrix[j] = matrix[j] * 0.5 + 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_vector(rows, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "late") == 0) be_late(rank, size);
  if (strcmp(what, "columns") == 0) pack_columns(column);
  if (strcmp(what, "exchange") == 0) exchange_columns(column, rank, size);
  if (strcmp(what, "compute") == 0) compute();
  MPI_Type_free(&column);
  MPI_Finalize();
  if (rank == 0) printf("done: %s\n", what);
  return EXIT_SUCCESS;
}
