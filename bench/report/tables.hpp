// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "drawings.hpp"
#include "figures.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench::report {

/// A table of a page of docs/, and the figure above it. Both are made of those results that are there, at
/// least one.
struct TableOfPage {
  std::string page, name;
  std::vector<std::string> results; ///< their names
  Table (*make)(const std::vector<nlohmann::json>& results);
  Drawing (*draw)(const std::vector<nlohmann::json>& results); ///< null: a few numbers need no figure
};

/// All of them.
const std::vector<TableOfPage>& tables();

/// What is made of the results.
struct Made {
  Table table;
  Drawing drawing; ///< empty if there is none
  std::vector<Source> sources;
};

/// Nothing if no result is there.
std::optional<Made> make(const TableOfPage& table, const Results& results);

} // namespace bench::report
