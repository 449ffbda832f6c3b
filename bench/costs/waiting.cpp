// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "costs.hpp"

#include "common/command.hpp"

#include <fmt/format.h>

#include <utility>

namespace bench {
namespace {

/// What a program of two ranks prints.
std::vector<double> run_program(const char* program, const std::string& arguments) {
  return numbers_of(fmt::format("'{}' -n 2 '{}' {}", MPI_LAUNCHER, program, arguments));
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

Costs region_costs() {
#ifdef __clang__
  const std::string own = "LLVM";
#else
  const std::string own = "GCC";
#endif
  std::vector<std::pair<std::string, std::string>> runtimes{{own, ""}};
  if (own == "GCC" && LLVM_OPENMP[0] != 0) runtimes.emplace_back("LLVM", LLVM_OPENMP);
  Costs all;
  for (const auto& [name, preloaded] : runtimes) {
    for (const auto& [other, what] :
         {std::pair{"spins", "spins in it"}, {"sleeps", "sleeps in it"}, {"late", "sleeps and comes late"}}) {
      const auto command =
          fmt::format("OMP_WAIT_POLICY=passive LD_PRELOAD='{}' '{}' {}", preloaded, REGIONS_PROGRAM, other);
      all.push_back({fmt::format("end of a region whose other thread {}, {}'s OpenMP", what, name), "us",
                     quantiles(numbers_of(command))});
    }
  }
  return all;
}

} // namespace bench
