// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "costs.hpp"

#include "common/command.hpp"

#include <fmt/format.h>

namespace bench {
namespace {

/// What a program of two ranks prints.
std::vector<double> run_program(const char* program, const std::string& arguments) {
  return numbers_of(fmt::format("'{}' -n 2 '{}' {}", MPICH_LAUNCHER, program, arguments));
}

/// Runs bench/costs/neighbours.cpp, whose exchanges are native and in a phase in turn.
Costs exchange_costs(int size, bool after_others) {
  const std::vector<double> samples =
      run_program(NEIGHBOURS_PROGRAM, fmt::format("{} {}", size, after_others ? "others" : ""));
  std::vector<double> native, in_phase;
  for (std::size_t i = 0; i < samples.size(); ++i) (i % 2 == 0 ? native : in_phase).push_back(samples[i]);
  const auto what = fmt::format("exchange of {} B{}", size, after_others ? " after 5 MiB of others" : "");
  return {{what + ", native", "us", quantiles(native)}, {"the same, in a phase", "us", quantiles(in_phase)}};
}

} // namespace

Costs waiting_costs() {
  return {{"processor time in MPI_Allreduce, peer 1 ms late, native", "us",
           quantiles(run_program(LATENESS_PROGRAM, ""))},
          {"the same, both threads of a team of 2", "us", quantiles(run_program(LATENESS_PROGRAM, "team"))}};
}

Costs small_message_costs() {
  Costs all;
  for (const bool after_others : {false, true}) {
    for (const int size : {8, 1024, 4096})
      for (const Cost& cost : exchange_costs(size, after_others)) all.push_back(cost);
  }
  return all;
}

} // namespace bench
