// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "costs.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <stdexcept>

namespace bench {
namespace {

using Nanoseconds = std::map<std::string, double>; ///< by MPI function

/// Runs bench/costs/interception.c with this library preloaded, if any.
Nanoseconds run_program(const std::string& preloaded) {
  const auto command = fmt::format("LD_PRELOAD='{}' '{}'", preloaded, INTERCEPTION_PROGRAM);
  FILE* output = popen(command.c_str(), "r");
  Nanoseconds result;
  char function[64];
  double nanoseconds;
  while (output && std::fscanf(output, "%63s %lf", function, &nanoseconds) == 2)
    result[function] = nanoseconds;
  if (!output || pclose(output) != 0) throw std::runtime_error("cannot run " + command);
  return result;
}

} // namespace

Costs interception_costs() {
  constexpr int pairs = 11;
  std::map<std::string, std::vector<double>> without, difference;
  for (int i = 0; i < pairs; ++i) {
    const Nanoseconds plain = run_program(""), intercepted = run_program(HELPER_LIBRARY);
    for (const auto& [function, nanoseconds] : plain) {
      without[function].push_back(nanoseconds);
      difference[function].push_back(intercepted.at(function) - nanoseconds);
    }
  }
  Costs costs;
  for (const auto& [function, samples] : without) {
    costs.push_back({function + " by itself", "ns", quantiles(samples)});
    costs.push_back({function + ", more when preloaded", "ns", quantiles(difference.at(function)), 3});
  }
  return costs;
}

} // namespace bench
