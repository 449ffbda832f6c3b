// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "preload.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace bench {

std::vector<double> numbers_of(const std::string& command) {
  FILE* const output = popen(command.c_str(), "r");
  std::string text;
  for (char part[4096]; output && std::fgets(part, sizeof part, output);) text += part;
  if (!output || pclose(output) != 0) throw std::runtime_error("cannot run " + command);
  std::istringstream words(text);
  std::vector<double> numbers(std::istream_iterator<double>(words), {});
  if (numbers.empty()) throw std::runtime_error(command + " prints no number");
  return numbers;
}

std::vector<double> times_of_calls(int ranks, const std::string& threads, const std::string& arguments) {
  const std::string preload =
      fmt::format("env LD_PRELOAD='{}' MPI_HELPER_THREADS={}", HELPER_LIBRARY, threads);
  return numbers_of(fmt::format("'{}' -n {} {} '{}' {}", MPI_LAUNCHER, ranks, threads.empty() ? "" : preload,
                                CALLS_PROGRAM, arguments));
}

} // namespace bench
