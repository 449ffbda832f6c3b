// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include "common/panels.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>

namespace bench {
namespace {

constexpr helper::groups::tree::Rank figures_processes = 65536; ///< of Figures 6 and 8

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
  Panel panel{title, "fraction that participates", "centralised = 1", false, false, {}};
  for (const char* scheme : {"hash", "balance"}) {
    panel.curves.push_back(relative(cells, scheme, false, ours));
    panel.curves.push_back(relative(cells, scheme, true, papers));
  }
  return panel;
}

/// Times of the hash scheme with each filler over the number of processes.
Panel fillers(const Cells& cells, double fraction) {
  Panel panel{fmt::format("Fig. 7: hash, fraction {}", fraction), "processes", "us", true, false, {}};
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
  return all;
}

} // namespace

void plot(const Cells& cells, const std::string& base) {
  plot_panels(panels(cells), "Enrolment of process groups: the model of a Blue Gene/P, and the paper", base);
}

} // namespace bench
