// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

/// Gathers, scatters, or reduces in the order of ranks, by messages between `root` and every other rank.
void steps::linear(Schedule& schedule, Operation operation, std::size_t root) {
  const std::size_t ranks = schedule.ranks(), first = schedule.steps().size();
  const auto other = [=](std::size_t step) { return (root + 1 + step) % ranks; };
  const bool is_root = schedule.rank() == root;
  if (operation == Operation::reduce) {
    const BlockRun all = schedule.whole().all();
    if (!is_root) return void(schedule.append({.to = root, .out = all, .sends_contribution = true}));
    return void(schedule.append_run(ranks - 1, [=](std::size_t step) {
      return ScheduleStep{.from = other(step),
                          .in = all,
                          .arrival = ScheduleStep::Arrival::meets_contribution,
                          .at_a_time = ranks - 1};
    }));
  }
  if (!is_root) schedule.append({.from = root, .in = {schedule.block(), 1}});
  if (is_root)
    schedule.append_run(ranks - 1, [=](std::size_t step) {
      return ScheduleStep{.to = other(step), .out = {other(step), 1}, .at_a_time = ranks - 1};
    });
  if (is_gather(operation)) schedule.reverse(first);
}

} // namespace helper::collective
