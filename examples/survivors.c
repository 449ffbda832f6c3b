/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Regrouping after a failure: the last rank is killed, and the others make a communicator without it. MPICH
 * with Hydra; start it as the README tells. */

#define _POSIX_C_SOURCE 200809L /* for sigwait */

#include "rates.h"

#include <signal.h>
#include <unistd.h>

static MPI_Comm comm;

static void allreduce(void) {
  MPI_Allreduce(x, sum, COUNT, MPI_DOUBLE, MPI_SUM, comm);
}

int main(int argc, char** argv) {
  int provided, rank, ranks, signal;
  sigset_t death; /* the launcher tells of it by SIGUSR1; blocked before MPI_Init, also in threads of MPI */
  sigemptyset(&death);
  sigaddset(&death, SIGUSR1);
  sigprocmask(SIG_BLOCK, &death, NULL);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == ranks - 1) raise(SIGKILL);
  sigwait(&death, &signal);
  const int dead = ranks - 1; /* MPI does not report which rank died: the program has to know */
  MPI_Group all, living;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &dead, &living);
  MPIX_Group_comm_create(MPI_COMM_WORLD, living, 0, &comm);
  MPI_Comm_size(comm, &ranks);
  x[COUNT - 1] = rank;
  print_rates(allreduce, rank == 0);
  if (rank == 0) printf("%d ranks are left, sum %g\n", ranks, sum[COUNT - 1]);
  fflush(stdout);
  MPI_Barrier(comm); /* the launcher may end all when the first has gone */
  _exit(0);          /* MPI_Finalize would wait for the dead */
}
