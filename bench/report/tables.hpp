// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "figures.hpp"

#include <string>
#include <vector>

namespace bench::report {

/// A table of docs/performance.md.
struct TableOfPage {
  std::string name;
  std::vector<std::string> results;                          ///< their names
  Table (*make)(const std::vector<nlohmann::json>& results); ///< of those that are there, at least one
};

/// All of them.
const std::vector<TableOfPage>& tables();

} // namespace bench::report
