// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

/// Broadcasts or scans from rank to rank. In a scan every rank gets the result of the ranks before it,
/// combines it with its contribution, and passes that on. The last rank of an exscan reduces nothing.
void steps::chain(Schedule& schedule, Operation operation, std::size_t root) {
  using enum ScheduleStep::Arrival;
  const std::size_t rank = schedule.rank(), ranks = schedule.ranks(), own = (rank + ranks - root) % ranks;
  const BlockRun all = schedule.whole().all();
  const bool reduces = operation == Operation::scan || (operation == Operation::exscan && rank + 1 != ranks);
  if (operation == Operation::scan && rank == 0) schedule.begin_with(all);
  if (own != 0)
    schedule.append(
        {.from = (rank + ranks - 1) % ranks, .in = all, .arrival = reduces ? meets_contribution : stored});
  if (own + 1 != ranks)
    schedule.append(
        {.to = (rank + 1) % ranks, .out = all, .sends_contribution = is_scan(operation) && rank == 0});
}

} // namespace helper::collective
