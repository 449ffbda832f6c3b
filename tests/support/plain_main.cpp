// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>

#include "support/catch_runner.hpp"
#include "support/seed.hpp"

std::ostream& test_support::output() {
  return std::cout;
}

// Prints the seed before the tests, since a test may hang.
std::uint64_t test_support::seed() {
  static const std::uint64_t value = [] {
    const char* text = std::getenv("TEST_SEED");
    const std::uint64_t drawn = text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
    std::printf("seed %llu (set TEST_SEED to repeat)\n", static_cast<unsigned long long>(drawn));
    std::fflush(stdout);
    return drawn;
  }();
  return value;
}

int main(int argc, char** argv) {
  return test_support::run_test_cases(argc, argv);
}
