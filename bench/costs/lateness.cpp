// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Rank 0 prints the processor time, in microseconds, that all its threads take in each of many calls of
// MPI_Allreduce. Rank 1 calls a millisecond late each time. The calls are native or, with an argument, in a
// phase of a team of two.

#include <mpi_helper.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <mpi.h>
#include <omp.h>
#include <thread>

namespace {

double processor_microseconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

void allreduce_with_a_late_rank(bool native) {
  constexpr int calls = 200, untimed = 20;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int call = 0; call < calls; ++call) {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    double sum = 1;
    const double begun = processor_microseconds();
    (native ? PMPI_Allreduce : MPI_Allreduce)(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double used = processor_microseconds() - begun;
    if (rank == 0 && call >= untimed) std::printf("%.3f\n", used);
  }
}

void with_a_team() {
#pragma omp parallel num_threads(2)
  {
    MPI_Helper_team team;
    MPI_Helper_team_create(0, 2, &team);
    MPI_Helper_join(team);
    if (omp_get_thread_num() == 0) allreduce_with_a_late_rank(false);
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  }
}

} // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (argc > 1) {
    with_a_team();
  } else {
    allreduce_with_a_late_rank(true);
  }
  MPI_Finalize();
}
