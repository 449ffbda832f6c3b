// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

/// Reduces block r at rank r, gathers the blocks, or does both. Reducing and gathering take ranks - 1 steps
/// each. In a step each rank sends a block to the next rank.
void steps::ring(Schedule& schedule, Operation operation, std::size_t) {
  const std::size_t rank = schedule.rank(), ranks = schedule.ranks();
  const std::size_t next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  const auto behind = [=](std::size_t distance) { // the block of the rank `distance` before this one
    return BlockRun{(rank + 2 * ranks - distance) % ranks, 1};
  };
  if (!is_allgather(operation))
    schedule.append_run(ranks - 1, [=](std::size_t step) {
      return ScheduleStep{next,     behind(step + 1), step == 0,
                          previous, behind(step + 2), ScheduleStep::Arrival::meets_contribution};
    });
  if (!is_reduce_scatter(operation))
    schedule.append_run(ranks - 1, [=](std::size_t step) {
      return ScheduleStep{next, behind(step), false, previous, behind(step + 1)};
    });
}

} // namespace helper::collective
