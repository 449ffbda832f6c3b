// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "study.hpp"

#include "common/output.hpp"
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
  std::string json;
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

void run(const Settings& settings) {
  const std::vector<Cell> cells = study(settings.nodes, settings.events);
  print(cells);
  print_agreement("library", cells, &Cell::library);
  print_agreement("MPICH", cells, &Cell::mpich);
  if (!settings.json.empty()) bench::write_json(json(cells), settings.json);
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
  return bench::run_program(app, argc, argv, [&] { run(settings); });
}
