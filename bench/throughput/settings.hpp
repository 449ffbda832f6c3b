// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/progress.hpp"
#include "operation.hpp"
#include "workload.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

/// What the user asked for; see --help.
struct Settings {
  std::vector<Operation> operations{Operation::allreduce, Operation::bcast, Operation::bcast_vector};
  std::vector<std::size_t> sizes; ///< empty: the powers of two from min_bytes to max_bytes
  std::size_t min_bytes = sizeof(double);
  std::size_t max_bytes = std::size_t{64} << 20;
  std::vector<int> teams;         ///< empty: chosen from the machine
  std::vector<std::string> peers; ///< launchers of other MPIs
  int stride = 2;                 ///< of the vector, in doubles
  Memory memory = Memory::malloc;
  double budget = 60; ///< seconds for all measurements together
  ProgressStyle progress = ProgressStyle::lines;
  std::string json; ///< empty: not wanted
};

/// Has `app` read the command line into `settings`, which must outlive its parsing.
void add_options(CLI::App& app, Settings& settings);

} // namespace bench
