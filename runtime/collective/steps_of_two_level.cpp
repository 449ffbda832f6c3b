// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

/// Reduces shares within nodes, then each share between its owners, one per node. Then all ranks of a node
/// get all shares. There are as many shares as ranks on the smallest node, each with a block for each node.
void steps::two_level(Schedule& schedule, Operation operation, std::size_t root) {
  using enum ScheduleStep::Arrival;
  const std::size_t nodes = schedule.nodes(), on_node = schedule.ranks() / nodes;
  const std::size_t node = schedule.rank() % nodes, index = schedule.rank() / nodes;
  const auto share = [&](std::size_t owner) {
    return owner < schedule.blocks() / nodes ? BlockRun{owner * nodes, nodes} : BlockRun{};
  };
  const BlockRun own = share(index);
  const auto within = [&](bool reduces) {
    for (std::size_t step = 0; step < on_node; ++step) {
      const std::size_t peer = Schedule::partner(step, index, on_node), rank = peer * nodes + node;
      const BlockRun theirs = share(peer);
      if (peer == index) continue;
      schedule.append({rank, reduces ? theirs : own, reduces, rank, reduces ? own : theirs,
                       reduces ? meets_contribution : stored, on_node - 1});
    }
  };
  within(true);
  Schedule between(node, nodes);
  if (own.count != 0) halving(between, operation, root);
  const bool is_alone = on_node == 1; // the contribution is what the node has reduced
  if (is_alone) schedule.begin_with(between.copied());
  for (ScheduleStep step : between.steps()) {
    step.to = index * nodes + step.to;
    step.from = index * nodes + step.from;
    step.out = {own.first + step.out.first, step.out.count, 0, nodes};
    step.in = {own.first + step.in.first, step.in.count, 0, nodes};
    step.sends_contribution = step.sends_contribution && is_alone;
    if (step.arrival == meets_contribution && !is_alone) step.arrival = meets_partial;
    schedule.append(step);
  }
  within(false);
}

} // namespace helper::collective
