// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// An MPI program that does not call the library. It prints the nanoseconds of calls that have nothing to do,
// of MPI_Probe, MPI_Send and MPI_Wait: the fastest of many batches, since disturbances only slow a batch
// down.

#include <algorithm>
#include <cstdio>
#include <mpi.h>

namespace {

template <class Call>
void measure_batches(const Call& call) {
  constexpr int batches = 200, calls = 10000;
  double fastest = 1e9;
  for (int batch = 0; batch < batches; ++batch) {
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call();
    fastest = std::min(fastest, MPI_Wtime() - start);
  }
  std::printf("%.3f\n", fastest / calls * 1e9);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Request request = MPI_REQUEST_NULL;
  measure_batches([] { MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
  measure_batches([] { MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); });
  measure_batches([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
  MPI_Finalize();
}
