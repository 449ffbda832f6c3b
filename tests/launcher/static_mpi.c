// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Imitates a statically linked MPI. It has only the functions that show.c needs in one process.

#include <mpi.h>

int MPI_Init(int* argc, char*** argv) {
  return MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, 0);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  (void)argc;
  (void)argv;
  if (provided != 0) *provided = required;
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  (void)comm;
  *rank = 0;
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  (void)from;
  (void)to;
  (void)count;
  (void)type;
  (void)op;
  (void)comm;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  return MPI_SUCCESS;
}
