// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

// J. Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing systems",
// 1997. Blocks are numbered from the own rank on, so that each step is a single message.

namespace {

/// Gives each rank a block of every other rank. Each step sends about half of the blocks. At the start block
/// i is for rank + i, and in the end it is from rank - i, modulo the number of ranks.
void alltoall(Schedule& schedule) {
  const std::size_t rank = schedule.rank(), ranks = schedule.ranks();
  for (std::size_t bit = 1; bit < ranks; bit *= 2) { // a block goes as far as its number says
    const BlockRun with_bit{bit, bit, 2 * bit};
    schedule.append({(rank + bit) % ranks, with_bit, false, (rank + ranks - bit) % ranks, with_bit});
  }
}

} // namespace

/// Gathers in ceil(log2(ranks)) steps: block i is from rank + i. To reduce and scatter, reverses the steps.
void steps::bruck(Schedule& schedule, Operation operation, std::size_t) {
  if (is_alltoall(operation)) return alltoall(schedule);
  const std::size_t rank = schedule.rank(), ranks = schedule.ranks(), first = schedule.steps().size();
  for (std::size_t had = ranks; had > 1; had = schedule.kept(had)) {
    const std::size_t kept = schedule.kept(had), given = had - kept;
    schedule.append({(rank + ranks - kept) % ranks, {0, given}, false, (rank + kept) % ranks, {kept, given}});
  }
  std::ranges::reverse(schedule.steps().subspan(first));
  if (!is_reduce_scatter(operation)) return;
  schedule.reverse(first);
  for (ScheduleStep& step : schedule.steps().subspan(first))
    step.arrival = ScheduleStep::Arrival::meets_partial;
}

} // namespace helper::collective
