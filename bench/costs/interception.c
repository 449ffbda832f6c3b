/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* An MPI program that does not call the library. It measures MPI calls that have nothing to do. It prints
 * one line for each, in nanoseconds: the fastest of many batches, since disturbances only slow a batch
 * down. */

#include <mpi.h>
#include <stdio.h>

static void wait_for_nothing(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send_to_no_one(void) {
  MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void probe_no_one(void) {
  MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void measure(const char* function, void (*call)(void)) {
  enum { batches = 200, calls = 10000 };
  double fastest = 1e9;
  for (int batch = 0; batch < batches; ++batch) {
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call();
    const double seconds = MPI_Wtime() - start;
    if (seconds < fastest) fastest = seconds;
  }
  printf("%s %.3f\n", function, fastest / calls * 1e9);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  measure("MPI_Wait", wait_for_nothing);
  measure("MPI_Send", send_to_no_one);
  measure("MPI_Probe", probe_no_one);
  MPI_Finalize();
  return 0;
}
