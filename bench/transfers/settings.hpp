// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/progress.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

/// What the user asked for; see --help.
struct Settings {
  std::vector<std::string> types; ///< by name; empty: all
  std::vector<std::size_t> sizes{64 << 10, 512 << 10, 4 << 20, 16 << 20};
  std::vector<int> teams{1, 2};
  std::vector<std::string> peers; ///< launchers of other MPIs
  double budget = 120;            ///< seconds for all measurements together
  std::string json;               ///< empty: not wanted
  ProgressStyle progress = ProgressStyle::lines;
};

/// Has `app` read the command line into `settings`, which must outlive its parsing.
void add_options(CLI::App& app, Settings& settings);

} // namespace bench
