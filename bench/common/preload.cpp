// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "preload.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

std::istringstream output_of(const std::string& command) {
  FILE* const output = popen(command.c_str(), "r");
  std::string text;
  for (char part[4096]; output && std::fgets(part, sizeof part, output);) text += part;
  if (!output || pclose(output) != 0 || text.empty()) throw std::runtime_error("cannot run " + command);
  return std::istringstream(text);
}

} // namespace

std::vector<double> numbers_of(const std::string& command) {
  std::istringstream output = output_of(command);
  std::vector<double> numbers(std::istream_iterator<double>(output), {});
  if (numbers.empty()) throw std::runtime_error(command + " prints no number");
  return numbers;
}

std::map<std::string, double> named_numbers_of(const std::string& command) {
  std::istringstream output = output_of(command);
  std::map<std::string, double> numbers;
  std::string name;
  while (output >> name) output >> numbers[name];
  return numbers;
}

std::vector<double> times_of_calls(int ranks, const std::string& threads, const std::string& arguments) {
  const std::string preload =
      fmt::format("env LD_PRELOAD='{}' MPI_HELPER_THREADS={}", HELPER_LIBRARY, threads);
  return numbers_of(fmt::format("'{}' -n {} {} '{}' {}", MPI_LAUNCHER, ranks, threads.empty() ? "" : preload,
                                CALLS_PROGRAM, arguments));
}

} // namespace bench
