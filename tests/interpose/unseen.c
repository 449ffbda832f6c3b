/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program that looks up MPI_Init and MPI_Finalize in the MPI library, so that no other library sees these
 * calls. With the word "calls" it also calls MPI_Barrier normally, and then closes standard error. With
 * "none" it does not initialise MPI. */

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

/* Looks up a function in the MPI library: the library with MPI_Wtime, which no other one defines. */
static void* in_mpi(const char* function) {
  Dl_info info;
  if (dladdr(dlsym(RTLD_DEFAULT, "MPI_Wtime"), &info) == 0) abort();
  return dlsym(dlopen(info.dli_fname, RTLD_LAZY), function);
}

/* Forks a child, which does not use MPI and exits normally. */
static void fork_and_wait(void) {
  const pid_t child = fork();
  if (child == 0) exit(0);
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  const char* const word = argc > 1 ? argv[1] : "";
  Init* init;
  Finalize* finalize;
  *(void**)&init = in_mpi("MPI_Init"); /* cast as POSIX shows it */
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
