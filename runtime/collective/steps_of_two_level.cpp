// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <vector>

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

/// Returns the parts of `run`, which is in a circle of `blocks` blocks. The circle begins at block `first`.
static std::vector<BlockRun> parts_of(const BlockRun& run, std::size_t blocks, std::size_t first) {
  std::vector<BlockRun> parts;
  run.for_each_part(blocks, [&](std::size_t begin, std::size_t end) {
    if (begin != end) parts.push_back({first + begin, end - begin});
  });
  return parts;
}

/// Reduces shares within nodes, then between the owners of a share. Then all ranks of a node get all shares.
void steps::two_level(Schedule& schedule, Operation operation, std::size_t root) {
  using enum ScheduleStep::Arrival;
  const std::size_t nodes = schedule.nodes(), on_node = schedule.ranks() / nodes;
  const std::size_t node = schedule.rank() / on_node, index = schedule.rank() % on_node;
  const auto within = [&](bool reduces) {
    for (std::size_t step = 0; step < on_node; ++step) {
      const std::size_t peer = Schedule::partner(step, index, on_node), rank = node * on_node + peer;
      const BlockRun theirs{peer * nodes, nodes}, own{index * nodes, nodes};
      if (peer == index) continue;
      schedule.append({rank, reduces ? theirs : own, reduces, rank, reduces ? own : theirs,
                       reduces ? meets_contribution : stored, on_node - 1});
    }
  };
  within(true);
  Schedule between(node, nodes);
  halving(between, operation, root);
  for (ScheduleStep step : between.steps()) { // their blocks are a circle: those of one share
    step.to = step.to * on_node + index;
    step.from = step.from * on_node + index;
    const std::vector<BlockRun> out = parts_of(step.out, nodes, index * nodes);
    const std::vector<BlockRun> in = parts_of(step.in, nodes, index * nodes);
    for (std::size_t part = 0; part < std::max(out.size(), in.size()); ++part) {
      step.out = part < out.size() ? out[part] : BlockRun{};
      step.in = part < in.size() ? in[part] : BlockRun{};
      schedule.append(step);
    }
  }
  within(false);
}

} // namespace helper::collective
