// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "costs.hpp"

#include <mpi_helper.h>

#include <chrono>
#include <ctime>
#include <omp.h>
#include <thread>

namespace bench {
namespace {

double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

Costs idle_costs() {
  double percent = 0;
#pragma omp parallel num_threads(2)
  {
    MPI_Helper_team team;
    MPI_Helper_team_create(0, 2, &team);
    MPI_Helper_join(team);
    if (omp_get_thread_num() == 0) {
      std::this_thread::sleep_for(std::chrono::seconds(1)); // stands for a member that computes
      MPI_Helper_leave(team);
    } else {
      const double begun = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_THREAD_CPUTIME_ID);
      MPI_Helper_leave(team);
      percent = 100 * (seconds(CLOCK_THREAD_CPUTIME_ID) - used) / (seconds(CLOCK_MONOTONIC) - begun);
    }
    MPI_Helper_team_free(&team);
  }
  return {{"idle member blocked in LEAVE", "% of a core", quantiles({percent}), 1}};
}

} // namespace bench
