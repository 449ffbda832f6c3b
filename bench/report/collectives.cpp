// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"
#include "common/text.hpp"
#include "figures.hpp"

#include <fmt/format.h>

#include <functional>

namespace bench::report {
namespace {

using nlohmann::json;

/// A curve for each way that an operation is measured in: `value` over the size.
Panel over_size(const json& points, const std::string& title, const std::string& y,
                const std::function<double(const json& variant)>& value) {
  Panel panel{title, "message", y, true, true, {}};
  for (const json& point : points) {
    for (std::size_t i = 0; i < point["variants"].size(); ++i) {
      const json& variant = point["variants"][i];
      if (panel.curves.size() == i) {
        const int team = variant["team_size"];
        // MPICH, Open MPI, and the teams in the colour that stands for them.
        const std::size_t colour = team == 0 ? i * 2 : team == 1 ? 1 : 3;
        panel.curves.push_back({way_name(variant), colour, team == 0 && i > 0, {}});
      }
      panel.curves[i].points.emplace_back(point["bytes"], value(variant));
    }
  }
  return panel;
}

double speedup(const json& variant) {
  return variant["speedup"];
}

double throughput_of(const json& variant) {
  return variant["bytes_per_second"].get<double>() / 1e9;
}

Table median_table(const json& points) {
  Table table{{"size"}, {}};
  auto& [head, rows] = table;
  for (const json& variant : points[0]["variants"]) {
    head.push_back(way_name(variant) + ", µs");
    if (head.size() > 2) head.emplace_back("ratio");
  }
  for (const json& point : points) {
    auto& row = rows.emplace_back(std::vector{size_name(point["bytes"])});
    for (const json& variant : point["variants"]) {
      row.push_back(digits(variant["seconds"]["median"].get<double>() * 1e6));
      if (row.size() > 2) row.push_back(fmt::format("{:.2f}", speedup(variant)));
    }
  }
  return table;
}

} // namespace

std::string way_name(const json& variant) {
  return variant["name"] == "native" ? "MPICH" : variant["name"].get<std::string>();
}

Panel allreduce_speedup(const json& throughput) {
  return over_size(throughput["operations"]["allreduce"], "MPI_Allreduce, times as fast as MPICH", "ratio",
                   speedup);
}

void add_collectives(Page& page, const Results& results) {
  page.section(
      "collectives", "Collective operations",
      "Each way is measured in turn, again and again; points are medians. A team of 1 is the library "
      "without a helper, one of 2 has a helper in each rank.");
  const auto throughput = results.json("throughput", page);
  if (!throughput) return;
  std::string speedups, bandwidths, tables;
  for (const auto& [operation, points] : (*throughput)["operations"].items()) {
    speedups += chart(over_size(points, operation, "times as fast as MPICH", speedup), Values::bytes);
    bandwidths += chart(over_size(points, operation, "GB/s", throughput_of), Values::bytes);
    tables += fmt::format("<details><summary>{}, in microseconds</summary>{}</details>\n", operation,
                          html(median_table(points)));
  }
  const Source source = results.source("throughput");
  page.figure("fig-speedup", "<div class=\"panels\">" + speedups + "</div>",
              "How many times as fast as MPICH, whose own line is 1. Above it the team gains.", source);
  page.figure("fig-throughput", "<div class=\"panels\">" + bandwidths + "</div>" + tables,
              "The same as bytes of the message over time. Curves rise while calls cost more than bytes, and "
              "bend where "
              "the data no longer fit into the caches.",
              source);
}

void add_machine(Page& page, const Results& results) {
  page.section("machine", "The machine", "What the library finds where these figures were made.");
  if (const std::string machine = results.text("machine.txt"); !machine.empty())
    page.figure(
        "fig-machine", "<pre tabindex=\"0\">" + escaped(machine) + "</pre>",
        "Versions, settings in force, and of each rank the processing units and the memory it shares.",
        results.source("machine"));
  else
    page.missing("Not asked for.", results.source("machine").command);
}

} // namespace bench::report
