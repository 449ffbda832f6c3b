// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include "common/output.hpp"
#include "common/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace bench {
namespace {

std::string cells(const Times& times, std::size_t bytes) {
  const auto rate = [&](const Quantiles& seconds) {
    return static_cast<double>(bytes) / seconds.median * 1e-9;
  };
  const auto& [native, alone, team] = times;
  return fmt::format(" | {:6.2f} {:6.2f} {:6.2f}  {:5.2f} {:5.2f}", rate(native), rate(alone), rate(team),
                     native.median / alone.median, alone.median / team.median);
}

nlohmann::ordered_json to_json(const Times& times) {
  constexpr std::array names{"native", "alone", "team"};
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < times.size(); ++i)
    json[names[i]] = {{"p10", times[i].p10}, {"median", times[i].median}, {"p90", times[i].p90}};
  return json;
}

} // namespace

void print_header() {
  constexpr auto columns = " | {:>6} {:>6} {:>6}  {:>5} {:>5}";
  fmt::print("Packed bytes per time, GB/s, medians: native MPI, one thread, two threads.\n"
             "Ratios: one thread over native, two threads over one.\n\n"
             "{:18} | {:^33} | {:^33}\n{:18}",
             "", "pack", "unpack", "");
  for (int i = 0; i < 2; ++i) fmt::print(columns, "native", "one", "two", "1/nat", "2/1");
  fmt::print("\n");
}

void print(const Point& point) {
  fmt::print("{:9} {:>8}{}{}\n", point.type, size_name(point.asked_for), cells(point.pack, point.bytes),
             cells(point.unpack, point.bytes));
  std::fflush(stdout);
}

void write_json(const std::vector<Point>& points, const std::string& file) {
  nlohmann::ordered_json json;
  for (const Point& point : points)
    json.push_back({{"type", point.type},
                    {"asked_bytes", point.asked_for},
                    {"bytes", point.bytes},
                    {"pack_seconds", to_json(point.pack)},
                    {"unpack_seconds", to_json(point.unpack)}});
  write_json(json, file);
}

} // namespace bench
