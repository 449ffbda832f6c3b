// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "study.hpp"

#include "common/output.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"
#include "common/text.hpp"

#include "collective/selection.hpp"

#include <fmt/format.h>
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
  if (!ratios.empty()) fmt::print("{}: the formulas are {}\n", whose, bench::agreement(ratios));
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
  Settings settings;
  bench::Program program(
      "nodes", "What the library selects for collective operations on up to 16,384 nodes of three networks, "
               "and how long\n"
               "they take, compared with MPICH and formulas of textbooks: by the library's own selection, "
               "schedules and\n"
               "model of costs, and by a simulator of the same schedules if there are few messages.");
  program.add_range("--nodes", settings.nodes, "Numbers of nodes", 2, 1 << 14);
  program.add("--events", settings.events, "Simulate cells with at most N messages", "N");
  program.add_json(settings.json);
  return program.run(argc, argv, [&] { run(settings); });
}
