// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "study.hpp"

#include <array>

namespace bench {
namespace {

using helper::groups::tree::Rank;
using model::Costs;

constexpr std::array fractions{0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99};

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
  for (const double fraction : fractions)
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

} // namespace bench
