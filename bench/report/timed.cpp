// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "timed.hpp"

#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
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

} // namespace bench::report
