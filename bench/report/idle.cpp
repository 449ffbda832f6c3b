// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/text.hpp"
#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bench::report {
namespace {

using nlohmann::json;

/// "median (least-most)"
std::string spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return fmt::format("{} ({}-{})", digits(values[values.size() / 2]), digits(values.front()),
                     digits(values.back()));
}

/// Of one program: a row for each number of elements, which are doubles, and way to wait, a column for each
/// way to run it.
Table idle_threads(const std::vector<json>& results, const std::string& program,
                   const std::string& elements) {
  Table table{{elements, "OMP_WAIT_POLICY"}, {}};
  for (const json& line : results.front()) {
    if (line["program"] != program) continue;
    const std::size_t number = line["elements"];
    const std::string size = fmt::format("{} ({})", number, size_name(number * sizeof(double))),
                      policy = line["policy"];
    if (table.rows.empty() || table.rows.back()[0] != size || table.rows.back()[1] != policy)
      table.rows.push_back({size, policy});
    if (table.rows.size() == 1) table.head.push_back(line["way"]);
    table.rows.back().push_back(spread_of(line["milliseconds"]));
  }
  return table;
}

} // namespace

Table deposit_table(const std::vector<json>& results) {
  return idle_threads(results, "deposit", "cells");
}

Table columns_table(const std::vector<json>& results) {
  return idle_threads(results, "columns", "rows");
}

Table columns_in_region_table(const std::vector<json>& results) {
  return idle_threads(results, "columns in a region", "rows");
}

} // namespace bench::report
