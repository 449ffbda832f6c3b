// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "command.hpp"

#include <cstdio>
#include <stdexcept>

namespace bench {

std::vector<double> numbers_of(const std::string& command) {
  FILE* output = popen(command.c_str(), "r");
  std::vector<double> numbers;
  double number;
  while (output && std::fscanf(output, "%lf", &number) == 1) numbers.push_back(number);
  if (!output || pclose(output) != 0 || numbers.empty()) throw std::runtime_error("cannot run " + command);
  return numbers;
}

} // namespace bench
