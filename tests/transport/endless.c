/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Communicates in a phase until it is killed. Each process prints its id. */

#include <mpi.h>
#include <mpi_helper.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("%ld\n", (long)getpid());
  fflush(stdout);
  MPI_Helper_team team;
  MPI_Helper_team_create(0, 1, &team);
  MPI_Helper_join(team);
  for (;;) MPI_Barrier(MPI_COMM_WORLD);
}
