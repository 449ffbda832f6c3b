// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "drawings.hpp"

#include "common/text.hpp"
#include "figures.hpp"
#include "throughput/operation.hpp"
#include "timed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bench::report {
namespace {

using nlohmann::json;

/// Adds a point to the panel's curve of that title, which it makes if there is none. The seventh curve has
/// the first one's colour again, and is dashed.
void add_point(Panel& panel, const std::string& title, double x, double y) {
  auto curve = std::ranges::find(panel.curves, title, &Curve::title);
  if (curve == panel.curves.end())
    curve = panel.curves.insert(curve, {title, panel.curves.size(), panel.curves.size() >= 6, {}});
  curve->points.emplace_back(x, y);
}

/// MPI's name of an operation that `throughput` has measured.
std::string function_of(const std::string& operation) {
  const std::string what = title(operations().at(operation), 0);
  return what.substr(0, what.find(','));
}

} // namespace

Drawing draw_allreduce(const std::vector<json>& results) {
  return {allreduce_speedup(results.front()), Values::bytes};
}

Drawing draw_oversubscribed(const std::vector<json>& results) {
  Panel panel{"MPI_Allreduce by many ranks", "ranks", "µs", true, true, {}};
  for (const json& result : results)
    for (const json& point : result["operations"]["allreduce"])
      for (const Timed& way : timed_collective(point))
        add_point(panel,
                  fmt::format("{}, {}", way.name.substr(0, way.name.find(" (")), size_name(point["bytes"])),
                  result["machine"]["ranks"], way.seconds * 1e6);
  return {panel, Values::numbers};
}

Drawing draw_collectives(const std::vector<json>& results) {
  Panel panel{"A team of 1 over the fastest native MPI", "message", "ratio", true, true, {}};
  for (const auto& [operation, points] : results.front()["operations"].items())
    for (const json& point : points) {
      const auto ways = timed_collective(point);
      add_point(panel, function_of(operation), point["bytes"], gain(first_team(ways), ways));
    }
  return {panel, Values::bytes};
}

Drawing draw_transfers(const std::vector<json>& results) {
  const json &variants = results.front()["variants"], &points = results.front()["points"];
  Panel panel{"A team of 1 over the fastest native MPI", "bytes of data", "ratio", true, true, {}};
  for (const json& point : points) {
    const auto ways = timed_transfer(point, variants);
    add_point(panel, point["type"], point["bytes"], gain(first_team(ways), ways));
  }
  return {panel, Values::bytes};
}

Drawing draw_packing(const std::vector<json>& results) {
  Panel panel{"Packing a vector of single doubles", "bytes of data", "GB/s", true, false, {}};
  constexpr std::array<std::pair<const char*, const char*>, 3> ways{
      {{"native", "MPI_Pack"}, {"alone", "1 thread"}, {"team", "2 threads"}}};
  for (const json& point : results.front())
    if (point["type"] == results.front()[0]["type"])
      for (const auto& [way, name] : ways)
        add_point(panel, name, point["asked_bytes"], gigabytes(point["bytes"], point["pack_seconds"][way]));
  return {panel, Values::bytes};
}

Drawing draw_creation(const std::vector<json>& results) {
  return {creation_panels(results.front()).rbegin()->second, Values::numbers};
}

Drawing draw_groups(const std::vector<json>& results) {
  Panel panel{"A group of all ranks, made and freed", "ranks", "µs", true, true, {}};
  for (const json& result : results)
    for (const char* way : {"MPI_Comm_split", "balance, k 4", "hash, k 4", "centralised, k 4"})
      add_point(panel, way, result.front()["ranks"], median_of(result, "made and freed, all, us", way));
  return {panel, Values::numbers};
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
  return {panel, Values::numbers};
}

Drawing draw_trees_memory(const std::vector<json>& results) {
  return {memory_panel(results.front()["cells"], "most_state_bytes",
                       "The most that a process has while it enrols"),
          Values::numbers};
}

} // namespace bench::report
