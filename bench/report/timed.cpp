// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "timed.hpp"

#include "figures.hpp"
#include "throughput/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace bench::report {

using nlohmann::json;

std::vector<Timed> timed_collective(const json& point) {
  std::vector<Timed> ways;
  for (const json& variant : point["variants"])
    ways.push_back({way_name(variant), variant["team_size"] != 0, variant["seconds"]["median"]});
  return ways;
}

std::vector<Timed> timed_transfer(const json& point, const json& variants) {
  std::vector<Timed> ways;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const std::string name = variants[i];
    ways.push_back({name, name.starts_with("team"), point["seconds"][i]["median"]});
  }
  return ways;
}

const Timed& first_team(const std::vector<Timed>& ways) {
  return *std::ranges::find(ways, true, &Timed::team);
}

double gain(const Timed& team, const std::vector<Timed>& ways) {
  double native = std::numeric_limits<double>::infinity();
  for (const Timed& way : ways)
    if (!way.team) native = std::min(native, way.seconds);
  return native / team.seconds;
}

double median_of(const json& lines, const std::string& what, const std::string& way) {
  for (const json& line : lines)
    if (line["what"] == what && line.value("way", "") == way) return line["median"];
  throw std::runtime_error(fmt::format("there is no {} by {}", what, way));
}

namespace {

/// The bytes of "64 KiB, us".
std::size_t bytes_of(const std::string& size) {
  std::istringstream in(size);
  std::size_t number;
  std::string unit;
  in >> number >> unit;
  unit = unit.substr(0, unit.find(','));
  return unit == "KiB" ? number << 10 : unit == "MiB" ? number << 20 : number;
}

} // namespace

std::vector<GroupReduction> group_reductions(const json& lines) {
  std::vector<GroupReduction> all;
  std::string team;
  double allreduce = 0;
  for (const json& line : lines) {
    const std::string what = line["what"], way = line.value("way", "");
    if (!what.starts_with("allreduce of ")) continue;
    if (way.starts_with("MPI_Allreduce")) {
      team = way.substr(way.rfind(' ') + 1);
      allreduce = line["median"];
    } else {
      all.push_back({team, bytes_of(what.substr(13)), allreduce / line["median"].get<double>()});
    }
  }
  return all;
}

std::vector<Preloaded> preloaded_runs(const json& program) {
  std::vector<Preloaded> runs;
  json native; // comes first of those that the library's are compared with
  for (const json& way : program["ways"]) {
    if (way["helpers"] == "")
      native = way;
    else
      runs.push_back({way["threads"], native, way,
                      native["seconds"]["median"].get<double>() / way["seconds"]["median"].get<double>()});
  }
  return runs;
}

std::string function_name(const std::string& operation) {
  const Operation measured = operations().at(operation);
  const std::string what = title(measured, 0);
  return what.substr(0, what.find(',')) + (measured == Operation::bcast_vector ? " of a vector" : "");
}

} // namespace bench::report
