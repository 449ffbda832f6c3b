// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Repeats the test of random.cpp for as long as the argument says.

#include "layout/comparison.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

namespace {

/// Tests types with the seeds `seed`, `seed` + 1 … for `time`. Returns whether all are packed as by MPI.
bool fuzz(std::uint64_t seed, std::chrono::duration<double> time) {
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t types = 0;
  for (; std::chrono::steady_clock::now() - start < time; ++types) {
    test_support::Random random(seed + types);
    const std::string difference = test_support::compare_with_mpi(random);
    if (difference.empty()) continue;
    fmt::print("--seed {}: {}\n", seed + types, difference);
    return false;
  }
  fmt::print("{} types, from --seed {} on\n", types, seed);
  return true;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Packs and unpacks random datatypes and compares with MPI. Ends at the first difference, and "
               "says how the type\nwas built and which seed builds it again."};
  double seconds = 10;
  std::uint64_t seed = std::random_device{}();
  app.add_option("--seconds", seconds, "How long; default: 10")->type_name("SECONDS");
  app.add_option("--seed", seed, "Of the first type, the next has the next; default: drawn anew")
      ->type_name("N");
  CLI11_PARSE(app, argc, argv);
  PMPI_Init(&argc, &argv);
  const bool all_well = fuzz(seed, std::chrono::duration<double>(seconds));
  PMPI_Finalize();
  return all_well ? EXIT_SUCCESS : EXIT_FAILURE;
}
