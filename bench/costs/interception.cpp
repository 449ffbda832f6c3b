// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "costs.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <stdexcept>

namespace bench {
namespace {

using Nanoseconds = std::map<std::string, double>; ///< by what is measured, such as an MPI function

/// Runs a program that prints what it measures.
Nanoseconds run_program(const std::string& command) {
  FILE* output = popen(command.c_str(), "r");
  Nanoseconds result;
  char function[64];
  double nanoseconds;
  while (output && std::fscanf(output, "%63s %lf", function, &nanoseconds) == 2)
    result[function] = nanoseconds;
  if (!output || pclose(output) != 0) throw std::runtime_error("cannot run " + command);
  return result;
}

/// Runs bench/costs/interception.c with this library preloaded, if any.
Nanoseconds run_interception(const std::string& preloaded) {
  return run_program(fmt::format("LD_PRELOAD='{}' '{}'", preloaded, INTERCEPTION_PROGRAM));
}

/// Runs bench/costs/outstanding.c with this library preloaded, if any.
Nanoseconds run_outstanding(const std::string& preloaded) {
  return run_program(fmt::format("'{}' -n 2 env LD_PRELOAD='{}' MPI_HELPER_THREADS=1 '{}'", MPI_LAUNCHER,
                                 preloaded, OUTSTANDING_PROGRAM));
}

} // namespace

Costs interception_costs() {
  constexpr int pairs = 11;
  std::map<std::string, std::vector<double>> without, difference;
  for (int i = 0; i < pairs; ++i) {
    const Nanoseconds plain = run_interception(""), intercepted = run_interception(HELPER_LIBRARY);
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

Costs outstanding_costs() {
  constexpr int pairs = 3;
  std::map<std::string, std::vector<double>> native, preloaded;
  for (int i = 0; i < pairs; ++i) {
    for (const auto& [call, nanoseconds] : run_outstanding("")) native[call].push_back(nanoseconds);
    for (const auto& [call, nanoseconds] : run_outstanding(HELPER_LIBRARY))
      preloaded[call].push_back(nanoseconds);
  }
  Costs costs;
  for (const auto& [call, samples] : native) {
    costs.push_back({call + " receives, native", "ns", quantiles(samples)});
    costs.push_back({"the same, preloaded", "ns", quantiles(preloaded.at(call))});
  }
  return costs;
}

} // namespace bench
