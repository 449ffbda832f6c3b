// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The library cannot begin at rank 1, because MPI gives it no communicator or because it cannot read the
// binding of its thread. All ranks must continue with MPI, and none may wait for another.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fails_to_create = 0;
static int fails_to_ask = 0;
static int errors_reported = 0;

// Replaces the function of MPI. If fails_to_create, this rank gets no communicator; the others do.
int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  int (*real)(MPI_Comm, MPI_Group, MPI_Comm*) = NULL;
  *(void**)&real = dlsym(RTLD_NEXT, "PMPI_Comm_create");
  const int code = real(comm, group, made);
  if (!fails_to_create) return code;
  *made = MPI_COMM_NULL;
  return MPI_ERR_OTHER;
}

// Replaces the function of hwloc. If fails_to_ask, the binding of the thread is unknown.
int hwloc_get_cpubind(void* topology, void* set, int flags) {
  enum { of_thread = 2 };
  int (*real)(void*, void*, int) = NULL;
  *(void**)&real = dlsym(RTLD_NEXT, "hwloc_get_cpubind");
  return fails_to_ask && flags == of_thread ? -1 : real(topology, set, flags);
}

// Replaces the function of MPI, so that the error does not end the job.
int PMPI_Comm_call_errhandler(MPI_Comm comm, int code) {
  (void)comm;
  (void)code;
  ++errors_reported;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  const char* const way = argc > 1 ? argv[1] : "";
  const char* const by_hydra = getenv("PMI_RANK");
  const char* const launched = by_hydra != NULL ? by_hydra : getenv("OMPI_COMM_WORLD_RANK");
  const int is_unready = launched != NULL && atoi(launched) == 1;
  fails_to_create = is_unready && strcmp(way, "create") == 0;
  fails_to_ask = is_unready && strcmp(way, "ask") == 0;
  const int code = MPI_Init(&argc, &argv);
  fails_to_create = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int sum = rank;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int expects_error = rank == 1 && strcmp(way, "ask") == 0;
  const int is_right = sum == size * (size - 1) / 2 && errors_reported == expects_error &&
                       (code != MPI_SUCCESS) == expects_error;
  if (!is_right) printf("WRONG RESULT at rank %d: sum %d, code %d\n", rank, sum, code);
  MPI_Finalize();
  if (rank == 0) printf("all as expected\n");
  return is_right ? 0 : 1;
}
