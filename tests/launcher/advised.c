// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// A program for `mpi_helper advise`. Nearly all its time goes into the thing that its argument names:
//
//   late       the last rank comes 50 ms late to each of 12 reductions
//   columns    ranks pack columns of a matrix
//   exchange   pairs of ranks exchange such columns, and then reduce their sum
//   compute    MPI has next to nothing to do
//   corners    arguments that MPI ignores are not read, and an error handler frees its communicator

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Exchanges between two groups. One has only the last rank, so that the other ranks pass one count. The
 * memory after that count cannot be read. */
static void exchange_between_groups(int rank, int size) {
  const int is_last = rank == size - 1;
  const long page = sysconf(_SC_PAGESIZE);
  char* const pages =
      mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int remote = is_last ? size - 1 : 1;
  int* const counts = (int*)(pages + page) - remote;
  int* const places = calloc((size_t)size, sizeof(int));
  MPI_Comm group;
  MPI_Comm between;
  mprotect(pages + page, (size_t)page, PROT_NONE);
  for (int i = 0; i < remote; ++i) counts[i] = 1;
  MPI_Comm_split(MPI_COMM_WORLD, is_last, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, is_last ? 0 : size - 1, 0, &between);
  MPI_Alltoallv(matrix, counts, places, MPI_DOUBLE, received, counts, places, MPI_DOUBLE, between);
  MPI_Comm_free(&between);
  MPI_Comm_free(&group);
  free(places);
  munmap(pages, 2 * (size_t)page);
}

/* Gathers and scatters. The root passes MPI_IN_PLACE and an invalid datatype for its own part. */
static void gather_in_place(int rank, int size) {
  int* const numbers = calloc(2 * (size_t)size, sizeof(int)); /* counts and displacements */
  MPI_Datatype type = MPI_DOUBLE;
  for (int i = 0; i < size; ++i) numbers[i] = 1;
  for (int i = 0; i < size; ++i) numbers[size + i] = i;
#ifndef MPI_ABI_VERSION /* the ABI library of MPICH reads it */
  if (rank == 0) memset(&type, 0x5a, sizeof type);
#endif
  MPI_Gatherv(rank == 0 ? MPI_IN_PLACE : matrix, 1, type, received, numbers, numbers + size, MPI_DOUBLE, 0,
              MPI_COMM_WORLD);
  MPI_Scatterv(matrix, numbers, numbers + size, MPI_DOUBLE, rank == 0 ? MPI_IN_PLACE : received, 1, type, 0,
               MPI_COMM_WORLD);
  free(numbers);
}

static MPI_Comm own_comm;

static void free_comm(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  if (own_comm != MPI_COMM_NULL) MPI_Comm_free(&own_comm);
}

static void fail(void) {
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &own_comm);
  MPI_Comm_create_errhandler(free_comm, &handler);
  MPI_Comm_set_errhandler(own_comm, handler);
  MPI_Bcast(matrix, -1, MPI_DOUBLE, 0, own_comm);
  if (own_comm != MPI_COMM_NULL) printf("no error\n");
  MPI_Errhandler_free(&handler);
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
  if (strcmp(what, "corners") == 0) {
    exchange_between_groups(rank, size);
    gather_in_place(rank, size);
    fail();
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  if (rank == 0) printf("done: %s\n", what);
  return EXIT_SUCCESS;
}
