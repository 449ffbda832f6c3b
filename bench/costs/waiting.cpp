// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "costs.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

namespace bench {
namespace {

/// Runs bench/costs/lateness.cpp on two ranks.
Quantiles run_program(const char* argument) {
  const auto command = fmt::format("'{}' -n 2 '{}' {}", MPICH_LAUNCHER, LATENESS_PROGRAM, argument);
  FILE* output = popen(command.c_str(), "r");
  std::vector<double> microseconds;
  double sample;
  while (output && std::fscanf(output, "%lf", &sample) == 1) microseconds.push_back(sample);
  if (!output || pclose(output) != 0 || microseconds.empty())
    throw std::runtime_error("cannot run " + command);
  return quantiles(microseconds);
}

} // namespace

Costs waiting_costs() {
  return {{"processor time in MPI_Allreduce, peer 1 ms late, native", "us", run_program("")},
          {"the same, both threads of a team of 2", "us", run_program("team")}};
}

} // namespace bench
