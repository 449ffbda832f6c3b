/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Regrouping after a failure: the last rank is killed, and the others make a communicator without it. MPICH
 * with Hydra; start it as the README tells. */

#define _POSIX_C_SOURCE 200809L /* for sigwait */

#include <mpi_helper.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { COUNT = 1 << 20, CALLS = 20 };

static double x[COUNT], sum[COUNT];

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
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &dead, &living);
  MPIX_Group_comm_create(MPI_COMM_WORLD, living, 0, &comm);
  MPI_Comm_size(comm, &ranks);
  x[COUNT - 1] = rank;

#pragma omp parallel
  for (int round = 0; round < 4; ++round) { /* 0 and 1 warm up; 1 and 3 have a team */
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);
    if (round % 2 == 1) MPI_Helper_join(team);
    if (omp_get_thread_num() == 0) {
      const double begin = MPI_Wtime();
      for (int i = 0; i < CALLS; ++i) MPI_Allreduce(x, sum, COUNT, MPI_DOUBLE, MPI_SUM, comm);
      const double rate = CALLS * sizeof x / (MPI_Wtime() - begin) / 1e9;
      if (rank == 0 && round > 1) printf("%s a team: %.2f GB/s\n", round % 2 == 1 ? "with" : "without", rate);
    }
    if (round % 2 == 1) MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
#pragma omp barrier
  }
  if (rank == 0) printf("%d ranks are left, sum %g\n", ranks, sum[COUNT - 1]);
  fflush(stdout);
  MPI_Barrier(comm); /* the launcher may end all when the first has gone */
  _exit(0);          /* MPI_Finalize would wait for the dead */
}
