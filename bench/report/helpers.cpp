// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"
#include "common/text.hpp"
#include "drawings.hpp"
#include "figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

namespace bench::report {
namespace {

using nlohmann::json;

std::string title(const json& result) {
  if (result["slower"] != 1) return fmt::format("{} ranks, emulated cores", result["ranks"].get<int>());
  if (result["ranks"] == 1) return "1 rank";
  return fmt::format("{} ranks{}", result["ranks"].get<int>(), result["alone"] ? ", one at work" : "");
}

std::string what_it_shows(const json& result) {
  if (result["slower"] != 1)
    return "Each thread is on a slow core of its own, which is emulated. This shows whether work is shared "
           "evenly, and what one "
           "thread does alone; not what many cores make of caches and memory, which are as fast as ever.";
  if (result["alone"])
    return "One process works; the others have nothing to do but to wait for it in MPI_Recv.";
  return result["ranks"] == 1 ? "One process has the machine to itself."
                              : "The processes share the machine out.";
}

constexpr std::string_view hybrid = "MPIX_Helper_allreduce";
constexpr std::array<std::string_view, 5> by_hand{"one thread", "critical", "reduction clause", "tree",
                                                  "loop"};

/// The median of a way; not a number if it was not measured.
double median(const json& point, std::string_view name, int threads) {
  for (const json& way : point["ways"])
    if (way["name"] == name && way["threads"] == threads) return way["seconds"]["median"];
  return std::numeric_limits<double>::quiet_NaN();
}

/// Of more than one thread.
std::vector<int> teams(const json& result) {
  std::vector<int> teams = result["teams"];
  std::erase(teams, 1);
  return teams;
}

bool is_of_all_threads(const json& point) {
  return point["function"] == "all threads";
}

bool is_same(const json& a, const json& b) {
  return a["function"] == b["function"] && a["data"] == b["data"];
}

/// The sizes of the first task's points, for which all but the largest faces are measured.
std::string sizes_of_tasks(const json& result) {
  std::vector<std::string> sizes;
  for (const json& point : result["points"])
    if (is_same(point, result["points"][0])) sizes.push_back(size_name(point["asked_bytes"]));
  return fmt::format("{}", fmt::join(sizes, " / "));
}

/// The best, the worst and some between them of what ranks do together.
bool is_drawn(const json& point) {
  constexpr std::array<std::string_view, 5> drawn{"vector-1", "struct", "MINLOC of double_int",
                                                  "sum of double", "user's operation"};
  const std::string function = point["function"], data = point["data"];
  return (function == "MPI_Allreduce" || function == "MPI_Bcast") && std::ranges::count(drawn, data) != 0;
}

/// Points of MPI_Allreduce of doubles; of sums over all threads where there is one rank only. Smallest first.
std::vector<json> points_of_graph(const json& result) {
  std::vector<json> points;
  for (const json& point : result["points"])
    if (point["data"] == "sum of double" &&
        (result["ranks"] == 1 ? is_of_all_threads(point) : point["function"] == "MPI_Allreduce"))
      points.push_back(point);
  std::ranges::sort(points, {}, [](const json& point) { return point["bytes"].get<std::size_t>(); });
  return points;
}

/// One thread against several, as Graph 1 of the proposal.
Panel graph(const json& result) {
  Panel panel{title(result), "message", "times as fast as one thread", true, false, {}};
  for (const int threads : teams(result)) {
    Curve curve{fmt::format("team of {}", threads), panel.curves.size() + 1, false, {}};
    for (const json& point : points_of_graph(result)) {
      const bool sums = is_of_all_threads(point);
      curve.points.emplace_back(point["bytes"],
                                median(point, sums ? by_hand.front() : "team", sums ? threads : 1) /
                                    median(point, sums ? hybrid : "team", threads));
    }
    panel.curves.push_back(curve);
  }
  return panel;
}

/// How many times as fast as a team of 1 one of several is, for each size.
std::string gains(const json& result, const json& like, int threads) {
  std::vector<std::string> of_sizes;
  for (const json& point : result["points"])
    if (is_same(point, like))
      of_sizes.push_back(fmt::format("{:.2f}", median(point, "team", 1) / median(point, "team", threads)));
  return fmt::format("{}", fmt::join(of_sizes, " / "));
}

} // namespace

const std::vector<std::string>& helper_results() {
  static const std::vector<std::string> names{"helpers-threads", "helpers-idle", "helpers-ranks",
                                              "helpers-emulated"};
  return names;
}

Table helper_table(const std::vector<json>& results) {
  Table table{{"function", "data"}, {}};
  std::vector<json> rows; // a point of each
  for (const json& result : results)
    for (const json& point : result["points"])
      if (!is_of_all_threads(point) &&
          std::ranges::none_of(rows, [&](const json& row) { return is_same(row, point); }))
        rows.push_back(point);
  for (const json& row : rows) table.rows.push_back({row["function"], row["data"]});
  for (const json& result : results) {
    for (const int threads : teams(result)) {
      table.head.push_back(fmt::format("{}, {} threads, {}", title(result), threads, sizes_of_tasks(result)));
      for (std::size_t i = 0; i < rows.size(); ++i) table.rows[i].push_back(gains(result, rows[i], threads));
    }
  }
  return table;
}

Table sum_table(const std::vector<json>& results) {
  Table table{{"", "threads", "size", std::string(hybrid)}, {}};
  for (const auto& way : by_hand) table.head.emplace_back(way);
  table.head.emplace_back("ratio");
  for (const json& result : results) {
    for (const int threads : teams(result)) {
      for (const json& point : result["points"]) {
        if (!is_of_all_threads(point)) continue;
        const double own = median(point, hybrid, threads);
        auto& row = table.rows.emplace_back(std::vector{title(result), std::to_string(threads),
                                                        size_name(point["bytes"]), digits(own * 1e6)});
        double fastest = std::numeric_limits<double>::infinity();
        for (const auto& way : by_hand) {
          const double seconds = median(point, way, threads);
          row.push_back(std::isnan(seconds) ? "" : digits(seconds * 1e6));
          fastest = std::fmin(fastest, seconds);
        }
        row.push_back(fmt::format("{:.2f}", fastest / own));
      }
    }
  }
  return table;
}

Drawing draw_helpers(const std::vector<json>& results) {
  // Where threads have a core each; a machine that cannot emulate them has fewer.
  const json& result = results.back();
  const json& largest = *std::ranges::max_element(
      result["points"], {}, [](const json& point) { return point["asked_bytes"].get<std::size_t>(); });
  Panel panel{fmt::format("{}, {}", title(result), size_name(largest["asked_bytes"])),
              "threads of a team",
              "times as fast as one thread",
              true,
              false,
              {}};
  for (const json& point : result["points"]) {
    if (point["asked_bytes"] != largest["asked_bytes"] || !is_drawn(point)) continue;
    Curve curve{fmt::format("{}, {}", point["function"].get<std::string>(), point["data"].get<std::string>()),
                panel.curves.size() + 1,
                false,
                {}};
    for (const int threads : result["teams"])
      curve.points.emplace_back(threads, median(point, "team", 1) / median(point, "team", threads));
    panel.curves.push_back(curve);
  }
  Curve ideal{"as many times as threads", 0, true, {}};
  for (const int threads : result["teams"]) ideal.points.emplace_back(threads, threads);
  panel.curves.push_back(ideal);
  return draw(panel);
}

Drawing draw_sums(const std::vector<json>& results) {
  const json& result = results.front();
  const int threads = result["teams"].back();
  Panel panel{fmt::format("Sums over {} threads, {}", threads, title(result)),
              "doubles of a thread",
              "µs",
              true,
              true,
              {}};
  const auto add = [&](std::string_view way) {
    Curve& curve = panel.curves.emplace_back(Curve{std::string(way), panel.curves.size(), false, {}});
    for (const json& point : result["points"]) {
      if (!is_of_all_threads(point)) continue;
      if (const double seconds = median(point, way, threads); !std::isnan(seconds))
        curve.points.emplace_back(point["bytes"], seconds * 1e6);
    }
  };
  add(by_hand.front());
  add(hybrid);
  for (const auto& way : std::span(by_hand).subspan(1)) add(way);
  return draw(panel, Values::bytes);
}

void add_helpers(Page& page, const Results& results) {
  page.section("helpers", "What helpers do, over the size",
               "A team of several threads against one thread, where each has a core, and where it has an "
               "emulated one.");
  std::string charts, texts;
  std::vector<Source> sources;
  for (const std::string& name : helper_results()) {
    const auto result = results.json(name);
    if (!result) continue;
    charts += chart(graph(*result), Values::bytes);
    texts += fmt::format("<p>{}: {}</p>", title(*result), what_it_shows(*result));
    sources.push_back(results.source(name));
  }
  if (charts.empty()) return page.missing("Not measured: what helpers do.", "./bench/run --helpers");
  page.figure("fig-helpers", "<div class=\"panels\">" + charts + "</div>" + texts,
              "MPI_Allreduce of doubles, and for one rank sums over its threads: how many times as fast as "
              "one thread a team is.",
              all_of(sources));
}

} // namespace bench::report
