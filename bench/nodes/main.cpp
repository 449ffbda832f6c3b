// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "study.hpp"

#include "common/output.hpp"
#include "common/panels.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"
#include "common/text.hpp"

#include "collective/selection.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace {

using namespace bench::nodes;

struct Settings {
  std::vector<int> nodes{2, 4, 16, 64, 256, 1024, 4096, 16384};
  std::size_t events = 30'000;
  std::string json, plot;
};

double ratio(const Cell& cell) {
  return cell.mpich.seconds / cell.library.seconds;
}

/// A line for each network, number of nodes, shape and operation: for each size what the library selects, and
/// MPICH's time over its.
void print(const std::vector<Cell>& cells) {
  const Cell* last = nullptr;
  for (const Cell& cell : cells) {
    if (last == nullptr || last->operation != cell.operation)
      fmt::print("\n{:16} {:6} nodes {:>4} x {:<3} {:21}", cell.network->name, cell.nodes, cell.shape.ranks,
                 cell.shape.team, name(cell.operation));
    fmt::print(" {:>7} {:19} {:5.2f}", bench::size_name(cell.bytes), name(cell.algorithm), ratio(cell));
    last = &cell;
  }
  fmt::print("\n\nFor each size: what is selected, and MPICH's time over its\n");
}

/// How far the formulas are from the simulator, in how many cells.
void print_agreement(const char* whose, const std::vector<Cell>& cells, Cost Cell::*cost) {
  std::vector<double> ratios;
  for (const Cell& cell : cells) {
    const Cost& of = cell.*cost;
    if (of.simulated) ratios.push_back(of.seconds / *of.simulated);
  }
  if (ratios.empty()) return;
  const auto [half, most, all] = bench::deviations(ratios);
  fmt::print(
      "{}: {} cells are simulated; the formulas are within {:.0f} % in half of them, {:.0f} % in 90 of "
      "100, {:.0f} % in all\n",
      whose, ratios.size(), half, most, all);
}

/// MPICH's time over the library's, of nodes of this shape, over the number of nodes.
bench::Panel panel(const std::vector<Cell>& cells, const Network& network, const Shape& shape,
                   std::size_t bytes) {
  bench::Panel panel{
      fmt::format("{}, {} x {}, {}", network.name, shape.ranks, shape.team, bench::size_name(bytes)),
      "nodes",
      "MPICH's time over the library's",
      true,
      false,
      {}};
  for (const Cell& cell : cells) {
    if (cell.network != &network || cell.shape.ranks != shape.ranks || cell.shape.team != shape.team ||
        cell.bytes != bytes)
      continue;
    const std::string title(name(cell.operation));
    auto curve = std::ranges::find(panel.curves, title, &bench::Curve::title);
    if (curve == panel.curves.end())
      curve = panel.curves.insert(curve, {title, panel.curves.size(), false, {}});
    curve->points.emplace_back(cell.nodes, ratio(cell));
  }
  return panel;
}

void run(const Settings& settings) {
  const std::vector<Cell> cells = study(settings.nodes, settings.events);
  print(cells);
  print_agreement("library", cells, &Cell::library);
  print_agreement("MPICH", cells, &Cell::mpich);
  if (!settings.json.empty()) bench::write_json(json(cells), settings.json);
  if (settings.plot.empty()) return;
  std::vector<bench::Panel> panels;
  for (const Network& network : networks)
    for (const Shape& shape : {Shape{1, 64}, Shape{8, 8}, Shape{128, 1}})
      panels.push_back(panel(cells, network, shape, 1 << 20));
  bench::plot_panels(panels, "Collective operations on many nodes, in the model", settings.plot);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "What the library selects for collective operations on up to 16,384 nodes of three networks, and "
      "how long it\ntakes, beside MPICH and textbook formulas: by the library's own selection, "
      "schedules and model of costs, and\nby a simulator of the same schedules where there are few "
      "messages.",
      "nodes"};
  Settings settings;
  app.add_option("--nodes", settings.nodes, "Numbers of nodes; default: 2,4,16,64,256,1024,4096,16384")
      ->delimiter(',')
      ->check(CLI::Range(2, 1 << 14));
  app.add_option("--events", settings.events, "Simulate what has at most so many messages; default: 30000")
      ->type_name("N");
  app.add_option("--json", settings.json, "Write everything to this file")->type_name("FILE");
  app.add_option("--plot", settings.plot, "Write the figure to BASENAME.gp, and BASENAME.svg by gnuplot")
      ->type_name("BASENAME");
  return bench::run_program(app, argc, argv, [&] { run(settings); });
}
