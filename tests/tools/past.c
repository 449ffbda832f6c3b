/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers */
/* SPDX-License-Identifier: BSD-3-Clause */

/* A tool that asks the dynamic linker for the PMPI functions of libraries after the tool. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int inits, allreduces;

int MPI_Init(int* argc, char*** argv) {
  int (*next)(int*, char***);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Init");
  ++inits;
  return next(argc, argv);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int (*next)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Allreduce");
  ++allreduces;
  return next(send, receive, count, type, op, comm);
}

int MPI_Finalize(void) {
  int (*next)(void);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Finalize");
  fprintf(stderr, "tool: %d MPI_Init, %d MPI_Allreduce\n", inits, allreduces);
  return next();
}
