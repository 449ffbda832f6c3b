/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program that looks up MPI_Init and MPI_Finalize in the MPI library, so that no library before it sees
 * them. With the word "calls" it calls another function as programs do, and says nothing on standard error
 * later; with "none" it does not initialise MPI. */

#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int Init(int*, char***);
typedef int Finalize(void);

/* Of MPI itself, which alone has MPI_Wtime. */
static void* in_mpi(const char* function) {
  Dl_info info;
  if (dladdr(dlsym(RTLD_DEFAULT, "MPI_Wtime"), &info) == 0) abort();
  return dlsym(dlopen(info.dli_fname, RTLD_LAZY), function);
}

/* A child that has no MPI of its own, and ends in good order. */
static void fork_and_wait(void) {
  const pid_t child = fork();
  if (child == 0) exit(0);
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  const char* const word = argc > 1 ? argv[1] : "";
  Init* init;
  Finalize* finalize;
  *(void**)&init = in_mpi("MPI_Init"); /* as POSIX has it */
  *(void**)&finalize = in_mpi("MPI_Finalize");
  if (strcmp(word, "none") != 0) {
    init(&argc, &argv);
    fork_and_wait();
    if (strcmp(word, "calls") == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      close(STDERR_FILENO);
    }
    finalize();
  }
  printf("at the end\n");
  return 0;
}
