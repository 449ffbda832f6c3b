// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "figures.hpp"

#include "common/text.hpp"

#include <fmt/format.h>

namespace bench::report {

Table cost_table(const nlohmann::json& costs) {
  Table table{{"", "median", "p10", "p90", "unit", "limit"}, {}};
  for (const auto& cost : costs)
    table.rows.push_back({cost["what"], digits(cost["median"]), digits(cost["p10"]), digits(cost["p90"]),
                          cost["unit"],
                          cost.contains("limit") ? fmt::format("{:g}", cost["limit"].get<double>()) : ""});
  return table;
}

void add_costs(Page& page, const Results& results) {
  page.section("costs", "What it costs where it does not help",
               "Phases, handing work over, waiting, and MPI calls outside of phases.");
  const auto costs = results.json("costs", page);
  if (!costs) return;
  page.figure("tab-costs", html(cost_table(*costs)),
              "Medians should be below the limit, where the design has set one.", results.source("costs"));
}

} // namespace bench::report
