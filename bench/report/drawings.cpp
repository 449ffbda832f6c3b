// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "drawings.hpp"

#include "common/text.hpp"
#include "figures.hpp"
#include "timed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace bench::report {
namespace {

using nlohmann::json;

constexpr std::size_t level_colour = 4;

/// Adds the line at which nothing is gained.
void add_level(Panel& panel) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Curve& curve : panel.curves)
    for (const auto& [x, y] : curve.points) low = std::min(low, x), high = std::max(high, x);
  panel.curves.push_back({"as fast", level_colour, true, {{low, 1}, {high, 1}}});
}

/// What a team gains in each operation, over the size.
Panel gains(const json& result, const std::string& title) {
  Panel panel{title, "message", "ratio", true, true, {}};
  for (const auto& [operation, points] : result["operations"].items())
    for (const json& point : points) {
      const auto ways = timed_collective(point);
      add_point(panel, function_name(operation), point["bytes"], gain(first_team(ways), ways));
    }
  return panel;
}

} // namespace

Drawing draw_allreduce(const std::vector<json>& results) {
  return draw(allreduce_speedup(results.front()), Values::bytes);
}

Drawing draw_oversubscribed(const std::vector<json>& results) {
  Panel panel{"MPI_Allreduce by many ranks", "ranks", "µs", true, true, {}};
  for (const json& result : results)
    for (const json& point : result["operations"]["allreduce"])
      for (const Timed& way : timed_collective(point))
        add_point(panel,
                  fmt::format("{}, {}", way.name.substr(0, way.name.find(" (")), size_name(point["bytes"])),
                  result["machine"]["ranks"], way.seconds * 1e6);
  return draw(panel);
}

Drawing draw_collectives(const std::vector<json>& results) {
  return draw(gains(results.front(), "A team of 1 over the fastest native MPI"), Values::bytes);
}

Drawing draw_peers(const std::vector<json>& results) {
  Panel panel = gains(results.front(), "A team of 1 over the fastest of all MPIs");
  add_level(panel);
  return draw(panel, Values::bytes);
}

Drawing draw_transfers(const std::vector<json>& results) {
  const json &variants = results.front()["variants"], &points = results.front()["points"];
  Panel panel{"A team of 1 over the fastest native MPI", "bytes of data", "ratio", true, true, {}};
  for (const json& point : points) {
    const auto ways = timed_transfer(point, variants);
    add_point(panel, point["type"], point["bytes"], gain(first_team(ways), ways));
  }
  return draw(panel, Values::bytes);
}

Drawing draw_packing(const std::vector<json>& results) {
  Panel panel{"Packing a vector of single doubles", "bytes of data", "GB/s", true, false, {}};
  constexpr std::array<std::pair<const char*, const char*>, 3> ways{
      {{"native", "MPI_Pack"}, {"alone", "1 thread"}, {"team", "2 threads"}}};
  for (const json& point : results.front())
    if (point["type"] == "vector-1")
      for (const auto& [way, name] : ways)
        add_point(panel, name, point["asked_bytes"], gigabytes(point["bytes"], point["pack_seconds"][way]));
  return draw(panel, Values::bytes);
}

Drawing draw_programs(const std::vector<json>& results) {
  Ratios ratios{"Programs: native time over the library's", {}, {}};
  for (const json& program : results.front()) {
    const auto row = static_cast<double>(ratios.names.size());
    ratios.names.push_back(program["name"]);
    for (const Preloaded& run : preloaded_runs(program)) {
      const std::string title = run.threads == 1 ? "1 thread" : fmt::format("{} threads", run.threads);
      auto curve = std::ranges::find(ratios.curves, title, &Curve::title);
      if (curve == ratios.curves.end())
        curve = ratios.curves.insert(curve, {title, ratios.curves.size() + 1, false, {}});
      curve->points.emplace_back(row, run.ratio);
    }
  }
  const auto rows = static_cast<double>(ratios.names.size());
  ratios.curves.push_back({"as fast", level_colour, true, {{-0.75, 1}, {rows - 0.75, 1}}});
  return draw(ratios);
}

Drawing draw_creation(const std::vector<json>& results) {
  return draw(creation_panels(results.front()).rbegin()->second);
}

Drawing draw_groups(const std::vector<json>& results) {
  Panel panel{"A group of all ranks, made and freed", "ranks", "µs", true, true, {}};
  for (const json& result : results)
    for (const char* way : {"MPI_Comm_split", "balance, k 4", "hash, k 4", "centralised, k 4"})
      add_point(panel, way, result.front()["ranks"], median_of(result, "made and freed, all, us", way));
  return draw(panel);
}

Drawing draw_enrolments(const std::vector<json>& results) {
  const json& most = results.back();
  Panel panel{fmt::format("Messages of an enrolment among {} ranks", most[0]["ranks"].get<int>()),
              "fraction that participates",
              "messages",
              true,
              false,
              {}};
  for (const json& cell : most) add_point(panel, cell["scheme"], cell["fraction"], cell["messages"]);
  return draw(panel);
}

Drawing draw_trees_memory(const std::vector<json>& results) {
  return draw(memory_panel(results.front()["cells"], "most_state_bytes",
                           "The most that a process has while it enrols"));
}

Drawing draw_groups_allreduce(const std::vector<json>& results) {
  Panel panel{"MPI_Allreduce's time over the group's", "message", "ratio", true, false, {}};
  for (const auto& [team, bytes, ratio] : group_reductions(results.front()))
    add_point(panel, "team of " + team, static_cast<double>(bytes), ratio);
  add_level(panel);
  return draw(panel, Values::bytes);
}

Drawing draw_nodes(const std::vector<json>& results) {
  Panel panel = nodes_panel(results.front());
  add_level(panel);
  return draw(panel, Values::bytes);
}

} // namespace bench::report
