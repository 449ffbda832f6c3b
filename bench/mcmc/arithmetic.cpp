// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "arithmetic.hpp"

#include <mpi.h>

namespace mcmc {
namespace {

double steps_per_second = 0;

/// So many steps of the logistic map, each of which needs the one before.
double walk(double state, double steps) {
  for (double step = 0; step < steps; ++step) state *= 3.9 * (1 - state);
  return state;
}

} // namespace

void calibrate() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    constexpr double steps = 1e8;
    const double begun = MPI_Wtime();
    const volatile double state = walk(0.3, steps);
    static_cast<void>(state);
    steps_per_second = steps / (MPI_Wtime() - begun);
  }
  MPI_Bcast(&steps_per_second, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

double compute(double seconds, int threads) {
  double states = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : states)
  for (int thread = 0; thread < threads; ++thread)
    states += walk(0.1 + 0.01 * thread, seconds * steps_per_second / threads);
  return states;
}

} // namespace mcmc
