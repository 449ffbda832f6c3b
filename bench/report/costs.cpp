// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "figures.hpp"

#include "common/text.hpp"

#include <fmt/format.h>

namespace bench::report {

void add_costs(Page& page, const Results& results) {
  page.section("costs", "What it costs where it does not help",
               "Phases, handing work over, waiting, and MPI calls outside of phases.");
  const auto costs = results.json("costs", page);
  if (!costs) return;
  std::vector<std::vector<std::string>> rows;
  for (const auto& cost : *costs)
    rows.push_back({cost["what"], digits(cost["median"]), digits(cost["p10"]), digits(cost["p90"]),
                    cost["unit"],
                    cost.contains("limit") ? fmt::format("{:g}", cost["limit"].get<double>()) : ""});
  page.figure("tab-costs", table({"", "median", "p10", "p90", "unit", "limit"}, rows),
              "Medians should be below the limit, where the design has set one.", results.command("costs"));
}

} // namespace bench::report
