// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"
#include "common/text.hpp"
#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bench::report {
namespace {

using nlohmann::json;

std::string shape(const json& cell) {
  return fmt::format("{} x {}", cell["ranks"].get<int>(), cell["team"].get<int>());
}

double ratio(const json& cell) {
  return cell["mpich"]["seconds"].get<double>() / cell["library"]["seconds"].get<double>();
}

/// Operations have two tables and figures, for people to find something in either.
enum class Group { first, others };

Group group_of(const json& cell) {
  constexpr std::array others{"barrier", "scan", "exscan", "allgatherv", "alltoallv"};
  return std::ranges::count(others, cell["operation"].get<std::string>()) == 0 ? Group::first : Group::others;
}

/// MPICH's time over the library's, over the number of nodes, at 1 MiB.
Panel speedup(const json& cells, const std::string& network, const std::string& of_shape, Group group) {
  Panel panel{network + ", " + of_shape, "nodes", "MPICH = 1", true, true, {}};
  for (const json& cell : cells) {
    if (cell["network"] != network || shape(cell) != of_shape || cell["bytes"] != 1 << 20) continue;
    if (group_of(cell) != group) continue;
    add_point(panel, cell["operation"], cell["nodes"], ratio(cell));
  }
  return panel;
}

std::vector<std::string> networks_of(const json& cells) {
  std::vector<std::string> names;
  for (const json& cell : cells)
    if (names.empty() || cell["network"] != names.back()) names.push_back(cell["network"]);
  return names;
}

std::string sent(const json& cost) {
  if (!cost.contains("messages")) return "";
  return fmt::format("{} of {}", cost["messages"].get<long>(),
                     size_name(static_cast<std::size_t>(cost["bytes"].get<double>())));
}

std::string microseconds(double seconds) {
  return digits(seconds * 1e6);
}

/// Of the most nodes, one rank each: what is sent, and times.
Table all_cells(const json& cells) {
  Table table{{"network", "operation", "size", "algorithm", "messages", "MPICH's", "us", "simulated", "MPICH",
               "simulated", "by the book", "untuned"},
              {}};
  for (const json& cell : cells) {
    if (cell["nodes"] != 1024 && cell["nodes"] != cells.back()["nodes"]) continue;
    if (shape(cell) != "1 x 64") continue;
    const auto simulated = [&](const char* whose) {
      return cell[whose].contains("simulated") ? microseconds(cell[whose]["simulated"]) : std::string();
    };
    table.rows.push_back({fmt::format("{}, {}", cell["network"].get<std::string>(), cell["nodes"].get<int>()),
                          cell["operation"], size_name(cell["bytes"]), cell["algorithm"],
                          sent(cell["library"]), sent(cell["mpich"]),
                          microseconds(cell["library"]["seconds"]), simulated("library"),
                          microseconds(cell["mpich"]["seconds"]), simulated("mpich"),
                          microseconds(cell["textbook_seconds"]), microseconds(cell["untuned_seconds"])});
  }
  return table;
}

/// What the tables have of all cells.
bool is_in_table(const json& cell, Group group) {
  const std::string of = shape(cell);
  return group_of(cell) == group && cell["network"] != "1 Gbit Ethernet" &&
         cell["network"] != "400 Gbit NDR" &&
         (cell["nodes"] == 1024 || (cell["nodes"] == 16384 && group == Group::first)) &&
         (of == "1 x 64" || of == "8 x 8" || of == "128 x 1");
}

/// A row for each number of nodes, shape of a node and operation, of one network; a column for each size.
Table table_of(const json& cells, Group group) {
  Table table{{"network", "nodes", "ranks x team", "operation"}, {}};
  std::string last;
  for (const json& cell : cells) {
    if (!is_in_table(cell, group)) continue;
    if (table.rows.empty() || cell["operation"] != last)
      table.rows.push_back({cell["network"], cell["nodes"].dump(), shape(cell), cell["operation"]});
    last = cell["operation"];
    auto& row = table.rows.back();
    if (table.rows.size() == 1) table.head.push_back(size_name(cell["bytes"]));
    row.push_back(cell["algorithm"] == "native"
                      ? "native"
                      : fmt::format("{:.2f} {}", ratio(cell), cell["algorithm"].get<std::string>()));
  }
  for (auto& row : table.rows) row.resize(table.head.size()); // a barrier has one size
  return table;
}

} // namespace

Panel nodes_panel(const json& cells) {
  int most = 0;
  for (const json& cell : cells)
    if (is_in_table(cell, Group::first)) most = std::max(most, cell["nodes"].get<int>());
  Panel panel{fmt::format("{} nodes of 1 rank, teams of 64", most),
              "message",
              "MPICH's time over ours",
              true,
              true,
              {}};
  for (const json& cell : cells) {
    if (!is_in_table(cell, Group::first) || cell["nodes"] != most || shape(cell) != "1 x 64") continue;
    add_point(panel, cell["operation"], cell["bytes"], ratio(cell));
  }
  return panel;
}

Table node_table(const json& cells) {
  return table_of(cells, Group::first);
}

Table other_node_table(const json& cells) {
  return table_of(cells, Group::others);
}

void add_nodes(Page& page, const Results& results) {
  page.section(
      "nodes", "Many nodes, of three networks",
      "Collective operations on up to 16,384 nodes of three networks, by the library's own selection, "
      "schedules and model of costs, beside MPICH's algorithms and a simulator of both. Nothing of it is "
      "measured.");
  const auto cells = results.json("nodes", page);
  if (!cells) return;
  const auto charts = [&](Group group) {
    std::string all;
    for (const std::string& network : networks_of(*cells))
      for (const char* of : {"1 x 64", "8 x 8", "128 x 1"}) all += chart(speedup(*cells, network, of, group));
    return "<div class=\"panels\">" + all + "</div>";
  };
  page.figure("fig-nodes", charts(Group::first),
              "MPICH's time over the library's at 1 MiB, on nodes of 1 rank with a team of 64, 8 with teams "
              "of 8, and "
              "128 without helpers. At 1 the library leaves the operation to MPICH.",
              results.source("nodes"));
  page.figure("fig-nodes-others", charts(Group::others), "The same of the other operations.",
              results.source("nodes"));
  page.figure(
      "tab-nodes-times",
      "<details><summary>Nodes of one rank</summary>" + html(all_cells(*cells)) + "</details>",
      "What the rank sends that sends most, and microseconds: of what the library selects knowing the "
      "network's costs, of MPICH, of the best textbook algorithm, and of what the library selects by its "
      "default costs.",
      results.source("nodes"));
}

} // namespace bench::report
