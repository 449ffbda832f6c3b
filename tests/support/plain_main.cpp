// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <iostream>

#include "support/catch_runner.hpp"

std::ostream& test_support::output() {
  return std::cout;
}

int main(int argc, char** argv) {
  return test_support::run_test_cases(argc, argv);
}
