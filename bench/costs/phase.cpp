// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/binding.hpp"
#include "costs.hpp"

#include <mpi_helper.h>

#include <chrono>
#include <omp.h>

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int rounds = 201, calls = 200;

double nanoseconds_per_call(clock::time_point start) {
  return std::chrono::duration<double, std::nano>(clock::now() - start).count() / calls;
}

} // namespace

Costs phase_costs() {
  std::vector<double> phases, fences, barriers, ratios, gains;
#pragma omp parallel num_threads(2)
  {
    const int thread = omp_get_thread_num();
    bind_to_core(static_cast<unsigned>(thread));
    MPI_Helper_team team;
    MPI_Helper_team_create(0, 2, &team);
    for (int round = 0; round < rounds; ++round) {
#pragma omp barrier
      auto start = clock::now();
      for (int i = 0; i < calls; ++i) {
#pragma omp barrier
      }
      const double barrier = nanoseconds_per_call(start);

      start = clock::now();
      for (int i = 0; i < calls; ++i) {
        MPI_Helper_join(team);
        MPI_Helper_leave(team);
      }
      const double phase = nanoseconds_per_call(start);

      MPI_Helper_join(team);
      start = clock::now();
      for (int i = 0; i < calls; ++i) MPI_Helper_fence(team);
      const double fence = nanoseconds_per_call(start);
      MPI_Helper_leave(team);
      if (thread == 0) {
        barriers.push_back(barrier);
        phases.push_back(phase);
        fences.push_back(fence);
        ratios.push_back(phase / barrier);
        gains.push_back(phase - fence);
      }
    }
    MPI_Helper_team_free(&team);
  }
  return {{"omp barrier, 2 threads", "ns", quantiles(barriers)},
          {"JOIN + LEAVE, team of 2", "ns", quantiles(phases)},
          {"JOIN + LEAVE over omp barrier", "", quantiles(ratios), 1.5},
          {"FENCE, team of 2", "ns", quantiles(fences)},
          {"FENCE, less than LEAVE + JOIN", "ns", quantiles(gains)}};
}

} // namespace bench
