/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program that does not use the library. It must behave in the same way if the library is preloaded. */

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int sum_over_ranks(void) {
  int size = 0;
  double* values = malloc(100000 * sizeof *values);
  int good = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 100000; ++i) values[i] = i;
  MPI_Allreduce(MPI_IN_PLACE, values, 100000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 100000; ++i) good = good && values[i] == (double)i * size;
  MPI_Bcast(values, 100000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  free(values);
  return good;
}

/* Forks a child, which has neither MPI nor helper threads. The child must exit normally. */
static int fork_and_wait(void) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) exit(17);
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 17;
}

/* Sets an error handler for MPI_COMM_WORLD only. It must get an error without a communicator, even after
 * messages. With MPICH it must also get an error on a communicator that was duplicated before. */
static int errors_return(void) {
  int rank = 0;
  int flag = 0;
  double* values = calloc(400000, sizeof *values);
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm follower = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &follower);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#ifdef MPICH
  if (MPI_Send(values, -1, MPI_DOUBLE, 0, 0, follower) == MPI_SUCCESS) return 0;
#endif
  MPI_Comm_free(&follower);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(100000, 1, 2, MPI_DOUBLE, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Irecv(values, 1, every_other, rank ^ 1, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(values + 200000, 1, every_other, rank ^ 1, 0, MPI_COMM_WORLD, &requests[1]);
  while (flag == 0) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, statuses);
  MPI_Type_free(&every_other);
  free(values);
  return MPI_Testall(-1, requests, &flag, statuses) != MPI_SUCCESS;
}

int main(int argc, char** argv) {
  const char* const ending = argc > 1 ? argv[1] : "finalize";
  int rank = 0;
  int good = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  good = strcmp(ending, "none") == 0 || sum_over_ranks();
  if (strcmp(ending, "fork") == 0) good = fork_and_wait() && sum_over_ranks() && good;
  if (strcmp(ending, "errors") == 0) good = errors_return() && sum_over_ranks() && good;
  if (rank == 0) printf("%s\n", good ? "all as expected" : "WRONG RESULT");
  fflush(stdout);
  if (strcmp(ending, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(ending, "exit") == 0) return 0; /* without MPI_Finalize */
  MPI_Finalize();
  return good ? 0 : 1;
}
