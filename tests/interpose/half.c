/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program that communicates with processes that may lack the library. It may lack the library itself.
 * Compiled with HALF_TEAM, it communicates in the phase of a team. */

#include <mpi.h>
#ifdef HALF_TEAM
#include <mpi_helper.h>
#endif

#include <stdio.h>
#include <stdlib.h>

enum { most = 100000 };

static int rank = 0;
static int size = 0;

/* Sends every second double to the next rank, in a message that the library would announce. */
static int ring_of_vectors(MPI_Comm comm, double* out, double* in) {
  const int next = (rank + 1) % size;
  const int before = (rank + size - 1) % size;
  MPI_Datatype type;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int good = 1;
  MPI_Type_vector(most / 2, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < most; ++i) {
    out[i] = rank * most + i;
    in[i] = -1;
  }
  MPI_Irecv(in, 1, type, before, 7, comm, &requests[0]);
  MPI_Isend(out, 1, type, next, 7, comm, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Type_free(&type);
  for (int i = 0; i < most; ++i) good = good && in[i] == (i % 2 == 0 ? before * most + i : -1);
  return good;
}

static int collectives(MPI_Comm comm, int count, double* out, double* in) {
  int good = 1;
  for (int i = 0; i < count; ++i) out[i] = rank + i;
  MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < count; ++i) good = good && in[i] == size * (size - 1) / 2 + (double)size * i;
  MPI_Bcast(in, count, MPI_DOUBLE, size - 1, comm);
  MPI_Gather(out, count / size, MPI_DOUBLE, in, count / size, MPI_DOUBLE, 0, comm);
  for (int i = 0; rank == 0 && i < count / size * size; ++i)
    good = good && in[i] == i / (count / size) + i % (count / size);
  MPI_Barrier(comm);
  return good;
}

static int all_of_it(void) {
  static double out[most];
  static double in[most];
  static const int counts[] = {1, 100, 3000, most};
  MPI_Comm copy;
  int good = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (int i = 0; i < 4; ++i)
    good =
        (counts[i] < size || collectives(copy, counts[i], out, in)) && ring_of_vectors(copy, out, in) && good;
  MPI_Comm_free(&copy);
  return good;
}

int main(int argc, char** argv) {
  int good = 0;
  int all_good = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef HALF_TEAM
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  double one = 1;
  double sum = 0;
  good = MPI_Helper_team_create(0, 1, &team) == MPI_SUCCESS && MPI_Helper_join(team) == MPI_SUCCESS;
  good = all_of_it() && good;
  good = MPI_Helper_fence(team) == MPI_SUCCESS && good;
  good = MPIX_Helper_allreduce(team, &one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF) == MPI_SUCCESS &&
         sum == 1 && good;
  good = MPI_Helper_leave(team) == MPI_SUCCESS && MPI_Helper_team_free(&team) == MPI_SUCCESS && good;
#else
  good = all_of_it();
#endif
  MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", all_good ? "all as expected" : "WRONG RESULT");
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
