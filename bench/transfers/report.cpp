// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include "common/gnuplot.hpp"
#include "common/output.hpp"
#include "common/text.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace bench {
namespace {

/// The points of every type, in the order of their measurement.
std::vector<std::vector<Point>> by_type(const Report& report) {
  std::vector<std::vector<Point>> types;
  for (const Point& point : report.points) {
    if (types.empty() || types.back().front().type != point.type) types.emplace_back();
    types.back().push_back(point);
  }
  return types;
}

/// One line per size: bytes, and GB/s of every variant.
void write_data(std::ostream& script, std::size_t index, const std::vector<Point>& points) {
  fmt::print(script, "$data_{} << END\n", index);
  for (const Point& point : points) {
    fmt::print(script, "{}", point.bytes);
    for (std::size_t variant = 0; variant < point.seconds.size(); ++variant)
      fmt::print(script, " {:g}", point.bandwidth(variant) / 1e9);
    fmt::print(script, "\n");
  }
  fmt::print(script, "END\n");
}

/// Bandwidth over size, a curve per variant.
void write_panel(std::ostream& script, std::size_t index, const std::vector<Point>& points,
                 const std::vector<std::string>& variants) {
  fmt::print(script, "  set title \"{}\" noenhanced\n  set xtics (", points.front().type);
  for (std::size_t i = 0; i < points.size(); ++i)
    fmt::print(script, "{}\"{}\" {}", i == 0 ? "" : ", ", size_name(points[i].bytes), points[i].bytes);
  fmt::print(script, ")\n  plot");
  for (std::size_t variant = 0; variant < variants.size(); ++variant)
    fmt::print(script, "{} $data_{} using 1:{} with linespoints lw 2 pt 7 lc rgb \"#{}\" title \"{}\"",
               variant == 0 ? "" : ",", index, variant + 2, colour(variant), variants[variant]);
  fmt::print(script, "\n");
}

void write_script(const Report& report, const std::string& base) {
  const auto types = by_type(report);
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(types.size()))));
  const std::size_t rows = (types.size() + columns - 1) / columns;
  auto script = create_file(base + ".gp");
  fmt::print(script, "# gnuplot '{0}.gp' makes '{0}.svg' and '{0}.png'.\n", base);
  for (std::size_t i = 0; i < types.size(); ++i) write_data(script, i, types[i]);
  const auto size =
      fmt::format("size {},{} font \"sans,13\" background \"white\"", columns * 440, rows * 330);
  fmt::print(script, R"(set logscale x 2
set yrange [0:*]
set grid lc rgb "#D8D8D8" lt 1
set key below horizontal font ",10"
set pointsize 0.4
set ylabel "GB/s"
do for [suffix in "svg png"] {{
  if (suffix eq "svg") {{ set terminal svg {} }} else {{ set terminal pngcairo {} }}
  set output "{}.".suffix
  set multiplot layout {},{} title "One-way transfers between two processes of a node"
)",
             size, size, base, rows, columns);
  for (std::size_t i = 0; i < types.size(); ++i) write_panel(script, i, types[i], report.variants);
  fmt::print(script, "  unset multiplot\n}}\n");
}

} // namespace

void print_head(const Report& report) {
  fmt::print("\n{:<28} {:>8}", "", "");
  for (const std::string& variant : report.variants) fmt::print(" | {:^22}", variant);
  fmt::print("\n{:<28} {:>8}", "type", "size");
  for (std::size_t variant = 0; variant < report.variants.size(); ++variant)
    fmt::print(" | {:>8} {:>6} {:>6}", "us", "GB/s", variant == 0 ? "" : "ratio");
  fmt::print("\n");
}

void print(const Point& point) {
  fmt::print("{:<28} {:>8}", point.type, size_name(point.bytes));
  for (std::size_t variant = 0; variant < point.seconds.size(); ++variant)
    fmt::print(" | {:>8} {:>6} {:>6}", digits(point.seconds[variant].median * 1e6),
               digits(point.bandwidth(variant) / 1e9),
               variant == 0 ? "" : fmt::format("{:.2f}", point.speedup(variant)));
  fmt::print("\n");
  std::fflush(stdout);
}

void write_json(const Report& report, const std::string& file) {
  nlohmann::ordered_json json{{"variants", report.variants}, {"points", nlohmann::ordered_json::array()}};
  for (const Point& point : report.points) {
    auto& entry = json["points"].emplace_back();
    entry = {{"type", point.type},
             {"bytes", point.bytes},
             {"calls_per_sample", point.calls},
             {"samples", point.samples},
             {"seconds", nlohmann::ordered_json::array()}};
    for (const auto& [p10, median, p90] : point.seconds)
      entry["seconds"].push_back({{"p10", p10}, {"median", median}, {"p90", p90}});
  }
  write_json(json, file);
}

void plot(const Report& report, const std::string& base) {
  write_script(report, base);
  run_gnuplot(base + ".gp");
}

} // namespace bench
