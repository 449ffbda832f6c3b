// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "preload.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

namespace bench {

namespace {

/// Runs a shell command. Calls read(output) until it returns false.
template <class Read>
void read_all(const std::string& command, Read read) {
  FILE* const output = popen(command.c_str(), "r");
  bool found = false;
  while (output && read(output)) found = true;
  if (!output || pclose(output) != 0 || !found) throw std::runtime_error("cannot run " + command);
}

} // namespace

std::vector<double> numbers_of(const std::string& command) {
  std::vector<double> numbers;
  read_all(command, [&, number = 0.0](FILE* output) mutable {
    if (std::fscanf(output, "%lf", &number) != 1) return false;
    numbers.push_back(number);
    return true;
  });
  return numbers;
}

std::map<std::string, double> named_numbers_of(const std::string& command) {
  std::map<std::string, double> numbers;
  read_all(command, [&](FILE* output) {
    char name[64];
    double number;
    if (std::fscanf(output, "%63s %lf", name, &number) != 2) return false;
    numbers[name] = number;
    return true;
  });
  return numbers;
}

std::vector<double> times_of_calls(int ranks, const std::string& threads, const std::string& arguments) {
  const std::string preload =
      fmt::format("env LD_PRELOAD='{}' MPI_HELPER_THREADS={}", HELPER_LIBRARY, threads);
  return numbers_of(fmt::format("'{}' -n {} {} '{}' {}", MPI_LAUNCHER, ranks, threads.empty() ? "" : preload,
                                CALLS_PROGRAM, arguments));
}

} // namespace bench
