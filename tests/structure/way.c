/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Two ranks make the MPI call that the argument names. Each has a team of two threads. count.sh examines
 * measured(), which rank 0 enters once. Earlier calls have made everything that the library makes only once.
 * */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_helper.h"

enum { doubles = 131072, bytes = doubles * sizeof(double), earlier_calls = 20, team_id = 1, team_size = 2 };

static int rank;
static double* from;
static double* to;
static MPI_Datatype every_other;

static void allreduce(void) {
  MPI_Allreduce(from, to, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void send_vector(void) {
  if (rank == 0) {
    MPI_Send(from, 1, every_other, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(to, doubles, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static const struct {
  const char* name;
  void (*call)(void);
} calls[] = {{"allreduce", allreduce}, {"send", send_vector}};

__attribute__((noinline)) void measured(void (*call)(void));
void measured(void (*call)(void)) {
  call();
}

/* The other member of the team helps, since it has nothing to compute. */
static void* help(void* unused) {
  MPI_Helper_team team;
  MPI_Helper_team_create(team_id, team_size, &team);
  MPI_Helper_join(team);
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
  return unused;
}

static void communicate(void (*call)(void)) {
  MPI_Helper_team team;
  pthread_t helper;
  if (pthread_create(&helper, NULL, help, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Helper_team_create(team_id, team_size, &team);
  MPI_Helper_join(team);
  for (int i = 0; i < earlier_calls; ++i) call();
  if (rank == 0) {
    measured(call);
  } else {
    call();
  }
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
  pthread_join(helper, NULL);
}

int main(int argc, char** argv) {
  int provided = 0, ranks = 0;
  size_t chosen = 0;
  while (chosen < sizeof calls / sizeof *calls && (argc != 2 || strcmp(argv[1], calls[chosen].name) != 0))
    ++chosen;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (chosen == sizeof calls / sizeof *calls || ranks != 2 || provided < MPI_THREAD_FUNNELED) {
    fprintf(stderr, "way: needs two ranks, and one of the calls that it knows as argument\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  from = calloc(2, bytes);
  to = calloc(1, bytes);
  MPI_Type_vector(doubles, 1, 2, MPI_DOUBLE, &every_other);
  MPI_Type_commit(&every_other);
  communicate(calls[chosen].call);
  MPI_Type_free(&every_other);
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
