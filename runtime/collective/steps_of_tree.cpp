// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <bit>

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

namespace {

/// Broadcasts from `root`, to the largest subtree first.
void broadcast(Schedule& schedule, std::size_t root) {
  const std::size_t ranks = schedule.ranks(), own = (schedule.rank() + ranks - root) % ranks;
  const std::size_t lowest = own == 0 ? std::bit_ceil(ranks) : own & (~own + 1); // lowest bit of `own`
  if (own != 0) schedule.append({.from = (root + own - lowest) % ranks, .in = schedule.all()});
  for (std::size_t bit = lowest / 2; bit > 0; bit /= 2)
    if (own + bit < ranks) schedule.append({.to = (root + own + bit) % ranks, .out = schedule.all()});
}

/// Gives `root` the result, with the same bits for every root. Ranks [low, high) reduce to `holder`, one of
/// them: its half reduces to it, the other half to a rank `other` there, which sends to `holder`.
void reduce(Schedule& schedule, std::size_t root) {
  const std::size_t rank = schedule.rank(), first = schedule.steps().size();
  for (std::size_t low = 0, high = schedule.ranks(), holder = root; high - low > 1;) {
    const std::size_t middle = low + (high - low) / 2;
    const std::size_t other = holder < middle ? middle : low;
    if (rank == holder) {
      schedule.append({.from = other, .in = schedule.all(), .arrival = ScheduleStep::Arrival::meets_partial});
    } else if ((rank < middle) != (holder < middle)) {
      if (rank == other) schedule.append({.to = holder, .out = schedule.all()});
      holder = other;
    }
    (rank < middle ? high : low) = middle;
  }
  std::ranges::reverse(schedule.steps().subspan(first));
}

} // namespace

/// Broadcasts or reduces, in the order of ranks, along a binomial tree.
void steps::tree(Schedule& schedule, Operation operation, std::size_t root) {
  schedule.whole();
  operation == Operation::bcast ? broadcast(schedule, root) : reduce(schedule, root);
}

/// Scatters along a binomial tree; gathers in reverse. Ranks from the root on are a run, halved repeatedly.
/// The first rank of a run has its blocks, and sends the second half to the first rank of that half.
void steps::tree_of_blocks(Schedule& schedule, Operation operation, std::size_t root) {
  const std::size_t ranks = schedule.ranks(), own = (schedule.rank() + ranks - root) % ranks;
  const std::size_t before = schedule.steps().size();
  std::size_t first = 0; // of the run that the own rank is in
  for (std::size_t had = ranks; had > 1;) {
    const std::size_t second = first + schedule.kept(had);
    const BlockRun given{(root + second) % ranks, first + had - second};
    if (own == first) schedule.append({.to = given.first, .out = given});
    if (own == second) schedule.append({.from = (root + first) % ranks, .in = given});
    had = own < second ? second - first : given.count;
    if (own >= second) first = second;
  }
  if (is_gather(operation)) schedule.reverse(before);
}

} // namespace helper::collective
