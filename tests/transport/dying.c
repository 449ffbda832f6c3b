/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* dying N - is killed in MPI_Init, when it reserves shared memory for the Nth time. Prints its process id. */

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <mpi_helper.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int left;

int posix_fallocate(int file, off_t offset, off_t length) {
  if (--left == 0) raise(SIGKILL);
  return fallocate(file, 0, offset, length) == 0 ? 0 : errno;
}

int main(int argc, char** argv) {
  left = argc > 1 ? atoi(argv[1]) : 0;
  printf("%ld\n", (long)getpid());
  fflush(stdout);
  MPI_Init(&argc, &argv);
  MPI_Helper_team team;
  MPI_Helper_team_create(0, 1, &team); /* so that the program needs the library */
  MPI_Abort(MPI_COMM_WORLD, 1);        /* reached only if it was not killed */
}
