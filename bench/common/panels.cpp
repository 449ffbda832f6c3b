// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "panels.hpp"

#include "gnuplot.hpp"
#include "output.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

namespace bench {
namespace {

void write_panel(std::ostream& script, std::size_t number, const Panel& panel) {
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    fmt::print(script, "$data_{}_{} << END\n", number, i);
    for (const auto& [x, y] : panel.curves[i].points) fmt::print(script, "{:g} {:g}\n", x, y);
    fmt::print(script, "END\n");
  }
  fmt::print(script, "set title \"{}\" noenhanced\nset xlabel \"{}\"\nset ylabel \"{}\"\n{}\n{}\nplot",
             panel.title, panel.x, panel.y, panel.logarithmic_x ? "set logscale x 2" : "unset logscale x",
             panel.logarithmic_y ? "set logscale y\nset yrange [*:*]" : "unset logscale y\nset yrange [0:*]");
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    fmt::print(script,
               "{} $data_{}_{} with linespoints lw 2 pt {} dt {} lc rgb \"#{}\" title \"{}\" noenhanced",
               i == 0 ? "" : ",", number, i, curve.dashed ? 6 : 7, curve.dashed ? 2 : 1, colour(curve.colour),
               curve.title);
  }
  fmt::print(script, "\n");
}

} // namespace

void plot_panels(std::vector<Panel> panels, const std::string& title, const std::string& base) {
  for (Panel& panel : panels)
    std::erase_if(panel.curves, [](const Curve& curve) { return curve.points.empty(); });
  std::erase_if(panels, [](const Panel& panel) { return panel.curves.empty(); });
  const std::size_t columns = std::min<std::size_t>(3, panels.size());
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  auto script = create_file(base + ".gp");
  fmt::print(script, "# gnuplot '{0}.gp' makes '{0}.svg'.\n", base);
  fmt::print(script, R"(set terminal svg size {},{} font "sans,13" background "white"
set output "{}.svg"
set xtics font ",8"
set grid lc rgb "#D8D8D8" lt 1
set key below font ",10"
set pointsize 0.4
set multiplot layout {},{} title "{}"
)",
             columns * 440, rows * 330, base, rows, columns, title);
  for (std::size_t i = 0; i < panels.size(); ++i) write_panel(script, i, panels[i]);
  fmt::print(script, "unset multiplot\n");
  script.close();
  run_gnuplot(base + ".gp");
}

} // namespace bench
