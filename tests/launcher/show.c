// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Prints what the launcher has given to this process: the library, if it is loaded, settings and arguments.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const char* text_of(const char* name) {
  const char* const text = getenv(name);
  return text != NULL ? text : "unset";
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int sum = rank + 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  // Two ranks print at the same time, so the line is written with one call.
  char line[1000];
  size_t length = (size_t)snprintf(line, sizeof line, "rank %d %s threads=%s placement=%s stats=%s sum=%d",
                                   rank, dlsym(RTLD_DEFAULT, "MPI_Helper_join") != NULL ? "with" : "without",
                                   text_of("MPI_HELPER_THREADS"), text_of("MPI_HELPER_PLACEMENT"),
                                   text_of("MPI_HELPER_STATS"), sum);
  for (int i = 1; i < argc && length < sizeof line; ++i)
    length += (size_t)snprintf(line + length, sizeof line - length, " <%s>", argv[i]);
  puts(line);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
