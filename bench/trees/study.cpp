// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "study.hpp"

#include "model/blue_gene.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace bench {
namespace {

using helper::groups::tree::Rank;
using model::Costs;

constexpr std::array fitted_fractions{0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99};
constexpr std::array<Rank, 5> fitted_processes{2048, 4096, 8192, 16384, 32768};

/// Returns the root mean square of the logarithms of the ratios to the paper's times.
double misfit(const Paper& paper, const Costs& costs) {
  double sum = 0;
  for (const double fraction : fitted_fractions)
    for (const Rank processes : fitted_processes) {
      const Cell cell = run_cell(paper, named_scheme("hash"), fraction, processes, costs);
      sum += std::pow(std::log(cell.ours.seconds / cell.paper->seconds), 2);
    }
  return std::sqrt(sum / static_cast<double>(fitted_fractions.size() * fitted_processes.size()));
}

const char* name_of(helper::groups::tree::EnrolmentMessage::EnrolmentKind kind) {
  static constexpr std::array names{"roster", "part",     "report",       "relocation",  "descent",
                                    "order",  "delivery", "registration", "introduction"};
  return names[static_cast<std::size_t>(kind)];
}

} // namespace

Cell run_cell(const Paper& paper, const NamedScheme& scheme, double fraction, Rank processes,
              const Costs& costs, double list_cost) {
  const Rank participants = paper.participants(fraction, processes);
  return {&scheme,
          fraction,
          processes,
          participants,
          model::enrol(costs, draw_participants(participants, processes), scheme.scheme, list_cost),
          paper.find(scheme, fraction, processes)};
}

ListCost run_list_cost(const Paper& paper, double cost, Rank processes, const Costs& costs) {
  ListCost result{cost, {}};
  for (const double fraction : fitted_fractions)
    for (const char* scheme : {"hash", "hash-child", "hash-leaf", "balance"})
      result.cells.push_back(run_cell(paper, named_scheme(scheme), fraction, processes, costs, cost));
  return result;
}

std::vector<Stretch> run_traced(const NamedScheme& scheme, Rank processes, const Costs& costs) {
  std::vector<Stretch> stretches;
  model::enrol(
      costs, draw_participants(processes / 2, processes), scheme.scheme, 1, [&](const model::Busy& busy) {
        stretches.push_back({busy.process, busy.since, busy.until, busy.kind ? name_of(*busy.kind) : ""});
      });
  return stretches;
}

Costs fit(const Paper& paper, const std::function<void(const std::string&)>& tell) {
  // `way` is the time of a message, which dominates; `overhead` is a part of it.
  double way = 12e-6, overhead = 3e-6;
  const auto costs = [&] { return model::blue_gene::costs(way - 2 * overhead, overhead); };
  double best = misfit(paper, costs());
  for (double change = 1.2; change > 1.004; change = std::sqrt(change)) {
    for (double* const constant : {&way, &overhead}) {
      for (const double factor : {change, 1 / change}) {
        for (;;) {
          const double before = *constant;
          *constant *= factor;
          const double now = misfit(paper, costs());
          if (now >= best) {
            *constant = before;
            break;
          }
          best = now;
        }
      }
    }
    tell(fmt::format("hash column: {:.2f} % from the paper's", best * 100));
  }
  return costs();
}

} // namespace bench
