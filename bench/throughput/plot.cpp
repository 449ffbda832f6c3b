// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/gnuplot.hpp"
#include "common/output.hpp"
#include "common/text.hpp"
#include "report.hpp"

#include <fmt/ostream.h>

#include <algorithm>

namespace bench {
namespace {

std::string data_name(const Series& series) {
  return "$data_" + std::to_string(static_cast<int>(series.operation));
}

/// One line per size: bytes, then for every variant GB/s at the 90th, 50th and 10th percentile of the time
/// and how many times as fast as native it is.
void write_data(std::ostream& script, const Series& series, const Report& report) {
  fmt::print(script, "{} << END\n", data_name(series));
  for (const Point& point : series.points) {
    fmt::print(script, "{}", point.bytes);
    for (std::size_t i = 0; i < report.variants.size(); ++i) {
      const double gigabytes = static_cast<double>(point.bytes) / 1e9;
      const auto [p10, median, p90] = point.seconds[i];
      fmt::print(script, " {:g} {:g} {:g} {:g}", gigabytes / p90, gigabytes / median, gigabytes / p10,
                 point.speedup(i));
    }
    fmt::print(script, "\n");
  }
  fmt::print(script, "END\n");
}

/// Every eighth size, so that the labels don't run into one another.
std::string size_labels(const std::vector<Point>& points) {
  std::string labels;
  for (std::size_t i = 0; i < points.size(); i += 3)
    labels += fmt::format("{}\"{}\" {}", i == 0 ? "" : ", ", size_name(points[i].bytes), points[i].bytes);
  return labels;
}

/// Around the medians, so that rare slow samples don't squeeze the curves: their bands leave the panel.
std::string bandwidth_range(const Series& series) {
  std::vector<double> bandwidths;
  for (const Point& point : series.points)
    for (std::size_t i = 0; i < point.seconds.size(); ++i) bandwidths.push_back(point.bandwidth(i) / 1e9);
  const auto [low, high] = std::ranges::minmax(bandwidths);
  return fmt::format("[{:g}:{:g}]", low / 2, high * 2);
}

/// The bandwidth of every variant, its spread as a band, and below it the ratios to native MPI.
void write_panels(std::ostream& script, const Series& series, const Report& report) {
  const std::string data = data_name(series);
  const auto line = [&](std::size_t variant) {
    return fmt::format("with linespoints lw 2 pt 7 lc rgb \"#{}\" dt {}", colour(variant),
                       report.variants[variant].oversubscribed ? "'-'" : "1");
  };

  fmt::print(script, R"(
  set title "{}" noenhanced
  set ylabel "bandwidth in GB/s"
  unset xlabel
  set logscale y 10
  set yrange {}
  plot)",
             title(series.operation, report.settings.stride), bandwidth_range(series));
  for (std::size_t i = 0; i < report.variants.size(); ++i)
    fmt::print(
        script,
        "{} {} using 1:{}:{} with filledcurves fc rgb \"#C0{}\" notitle, {} using 1:{} {} title \"{}\"",
        i == 0 ? "" : ",", data, 4 * i + 2, 4 * i + 4, colour(i), data, 4 * i + 3, line(i),
        report.variants[i].name());

  fmt::print(script, R"(
  unset title
  set ylabel "times as fast as native"
  set xlabel "message size"
  set logscale y 2
  set yrange [0.125<*<0.5:2<*]
  plot 1 lw 2 lc rgb "#{}" notitle)",
             colour(0));
  for (std::size_t i = 1; i < report.variants.size(); ++i)
    fmt::print(script, ", {} using 1:{} {} notitle", data, 4 * i + 5, line(i));
  fmt::print(script, "\n");
}

void write_script(const Report& report, const std::string& base) {
  auto script = create_file(base + ".gp");
  fmt::print(script, "# gnuplot '{}.gp' makes '{}.svg' and '{}.png'. Bands: 10th to 90th percentile.\n", base,
             base, base);
  for (const Series& series : report.series) write_data(script, series, report);
  const Machine& machine = report.machine;
  const std::vector<Point>& points = report.series.front().points;
  const auto size =
      fmt::format("size {},900 font \"sans,13\" background \"white\"", 620 * report.series.size());
  fmt::print(script, R"(set logscale x 2
set xrange [{}:{}]
set xtics ({}) rotate by -35
set grid lc rgb "#D8D8D8" lt 1
set key bottom right
set pointsize 0.4
set lmargin 11
set format y "%g"
do for [suffix in "svg png"] {{
  if (suffix eq "svg") {{ set terminal svg {} }} else {{ set terminal pngcairo {} }}
  set output "{}.".suffix
  set multiplot layout 2,{} columnsfirst title "{} ranks, {}, {} processing units a node, {}" noenhanced
)",
             static_cast<double>(points.front().bytes) / 1.4, static_cast<double>(points.back().bytes) * 1.4,
             size_labels(points), size, size, base, report.series.size(), machine.ranks, machine.processor,
             machine.processing_units, machine.mpi);
  for (const Series& series : report.series) write_panels(script, series, report);
  fmt::print(script, "  unset multiplot\n}}\n");
}

} // namespace

void plot(const Report& report, const std::string& base) {
  write_script(report, base);
  run_gnuplot(base + ".gp");
}

} // namespace bench
