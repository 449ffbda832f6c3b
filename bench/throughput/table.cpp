// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/statistics.hpp"
#include "common/text.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace bench {
namespace {

std::string cell(const Point& point, std::size_t variant) {
  const auto [p10, median, p90] = point.seconds[variant];
  return fmt::format("{:>9} {:>15} {:>6}", digits(median * 1e6),
                     fmt::format("{}-{}", digits(p10 * 1e6), digits(p90 * 1e6)),
                     digits(point.bandwidth(variant) / 1e9));
}

std::string model_cell(const Point& point, std::size_t variant) {
  if (!point.modelled[variant]) return "";
  return fmt::format(" {:5.2f} {}", point.over_model(variant), point.modelled[variant]->algorithm);
}

} // namespace

std::string Variant::name() const {
  if (peer >= 0) return peer_name;
  return native() ? "native" : fmt::format("team of {}{}", team, oversubscribed ? " (oversubscribed)" : "");
}

void print_table(const Report& report, const Series& series) {
  fmt::print("\n{}, {} ranks\n\n{:>8}", title(series.operation, report.settings.stride), report.machine.ranks,
             "");
  for (std::size_t i = 0; i < report.variants.size(); ++i)
    fmt::print(" | {:^{}}", report.variants[i].name(), i == 0 ? 32 : 38);
  fmt::print("\n{:>8}", "size");
  for (std::size_t i = 0; i < report.variants.size(); ++i)
    fmt::print(" | {:>9} {:>15} {:>6}{}", "us", "p10-p90", "GB/s", i == 0 ? "" : " ratio");
  fmt::print("\n");
  for (const Point& point : series.points) {
    fmt::print("{:>8} | {}{}", size_name(point.bytes), cell(point, 0), model_cell(point, 0));
    for (std::size_t i = 1; i < report.variants.size(); ++i)
      fmt::print(" | {} {:5.2f}{}", cell(point, i), point.speedup(i), model_cell(point, i));
    fmt::print("\n");
  }
  std::fflush(stdout);
}

void print_agreement(const Report& report) {
  for (std::size_t i = 0; i < report.variants.size(); ++i) {
    std::vector<double> ratios;
    for (const Series& series : report.series)
      for (const Point& point : series.points)
        if (point.modelled[i]) ratios.push_back(point.over_model(i));
    if (ratios.empty()) continue;
    const auto [half, most, all] = deviations(ratios);
    fmt::print(
        "{}: the model of costs is within {:.0f} % in half of {} cells, {:.0f} % in 90 of 100, {:.0f} % "
        "in all\n",
        report.variants[i].name(), half, ratios.size(), most, all);
  }
}

} // namespace bench
