// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include "common/gnuplot.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>

namespace bench {
namespace {

constexpr helper::tree::Rank figures_processes = 65536; ///< of Figures 6 and 8

/// A curve: points of x and y, and how it looks.
struct Curve {
  std::string title;
  std::size_t colour;
  bool dashed;
  std::vector<std::pair<double, double>> points;
};

struct Panel {
  std::string title, x, y;
  bool logarithmic_x;
  std::vector<Curve> curves;
};

void write_panel(std::ostream& script, std::size_t number, const Panel& panel) {
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    fmt::print(script, "$data_{}_{} << END\n", number, i);
    for (const auto& [x, y] : panel.curves[i].points) fmt::print(script, "{:g} {:g}\n", x, y);
    fmt::print(script, "END\n");
  }
  fmt::print(script, "set title \"{}\" noenhanced\nset xlabel \"{}\"\nset ylabel \"{}\"\n{}\nplot",
             panel.title, panel.x, panel.y, panel.logarithmic_x ? "set logscale x 2" : "unset logscale");
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    fmt::print(script,
               "{} $data_{}_{} with linespoints lw 2 pt {} dt {} lc rgb \"#{}\" title \"{}\" noenhanced",
               i == 0 ? "" : ",", number, i, curve.dashed ? 6 : 7, curve.dashed ? 2 : 1, colour(curve.colour),
               curve.title);
  }
  fmt::print(script, "\n");
}

/// Of every fraction at 64k processes, a quantity of a scheme over that of the centralised one.
Curve relative(const Cells& cells, const std::string& scheme, bool of_paper,
               const std::function<double(const Cell&)>& quantity) {
  Curve curve{scheme + (of_paper ? ", paper" : ""), scheme == "hash" ? 1U : 2U, of_paper, {}};
  for (const Cell& reference : cells) {
    if (reference.processes != figures_processes || reference.scheme->name != "centralised") continue;
    for (const Cell& cell : cells)
      if (cell.processes == figures_processes && cell.scheme->name == scheme &&
          cell.fraction == reference.fraction && (!of_paper || (cell.paper && reference.paper)))
        curve.points.emplace_back(cell.fraction, quantity(cell) / quantity(reference));
  }
  return curve;
}

Panel comparison(const Cells& cells, const char* title, const std::function<double(const Cell&)>& ours,
                 const std::function<double(const Cell&)>& papers) {
  Panel panel{title, "fraction that participates", "centralised = 1", false, {}};
  for (const char* scheme : {"hash", "balance"}) {
    panel.curves.push_back(relative(cells, scheme, false, ours));
    panel.curves.push_back(relative(cells, scheme, true, papers));
  }
  return panel;
}

/// Times of the hash scheme with each filler over the number of processes.
Panel fillers(const Cells& cells, double fraction) {
  Panel panel{fmt::format("Fig. 7: hash, fraction {}", fraction), "processes", "us", true, {}};
  const char* schemes[] = {"hash", "hash-child", "hash-leaf"};
  for (std::size_t i = 0; i < std::size(schemes); ++i) {
    Curve curve{schemes[i], i + 1, false, {}};
    for (const Cell& cell : cells)
      if (cell.scheme->name == schemes[i] && cell.fraction == fraction)
        curve.points.emplace_back(cell.processes, cell.ours.seconds * 1e6);
    if (!curve.points.empty()) panel.curves.push_back(std::move(curve));
  }
  return panel;
}

std::vector<Panel> panels(const Cells& cells) {
  std::vector<Panel> all{comparison(
                             cells, "Fig. 6: messages, 64k processes",
                             [](const Cell& cell) { return static_cast<double>(cell.ours.messages); },
                             [](const Cell& cell) { return static_cast<double>(cell.paper->messages); }),
                         comparison(
                             cells, "Fig. 8: time, 64k processes",
                             [](const Cell& cell) { return cell.ours.seconds; },
                             [](const Cell& cell) { return cell.paper->seconds; })};
  std::set<double> fractions;
  for (const Cell& cell : cells) fractions.insert(cell.fraction);
  for (const double fraction : fractions) all.push_back(fillers(cells, fraction));
  for (Panel& panel : all)
    std::erase_if(panel.curves, [](const Curve& curve) { return curve.points.empty(); });
  std::erase_if(all, [](const Panel& panel) { return panel.curves.empty(); });
  return all;
}

} // namespace

void plot(const Cells& cells, const std::string& base) {
  const auto all = panels(cells);
  constexpr std::size_t columns = 3;
  const std::size_t rows = (all.size() + columns - 1) / columns;
  std::ofstream script;
  script.exceptions(std::ios::failbit | std::ios::badbit);
  script.open(base + ".gp");
  fmt::print(script, "# gnuplot '{0}.gp' makes '{0}.svg'.\n", base);
  fmt::print(script, R"(set terminal svg size {},{} font "sans,13" background "white"
set output "{}.svg"
set xtics font ",8"
set yrange [0:*]
set grid lc rgb "#D8D8D8" lt 1
set key below font ",10"
set pointsize 0.4
set multiplot layout {},{} title "Enrolment of process groups: the model of a Blue Gene/P, and the paper"
)",
             columns * 440, rows * 330, base, rows, columns);
  for (std::size_t i = 0; i < all.size(); ++i) write_panel(script, i, all[i]);
  fmt::print(script, "unset multiplot\n");
  script.close();
  run_gnuplot(base + ".gp");
}

} // namespace bench
