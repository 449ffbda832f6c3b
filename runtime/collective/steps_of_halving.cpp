// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <bit>

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

namespace {

/// For the step after which each rank keeps `kept` blocks, returns: the next rank, to which `rank` sends the
/// blocks that it does not keep; the previous rank, from which it gets blocks; the first block that `rank`
/// keeps, and the first that the next rank keeps.
std::array<std::size_t, 4> neighbours(std::size_t rank, std::size_t ranks, std::size_t kept) noexcept {
  if (std::has_single_bit(ranks)) {
    const std::size_t other = rank ^ kept, own = rank & ~(kept - 1);
    return {other, other, own, own ^ kept};
  }
  const std::size_t next = (rank + kept) % ranks, previous = (rank + ranks - kept) % ranks;
  return {next, previous, rank, next};
}

} // namespace

/// Reduces block r at rank r, in ceil(log2(ranks / nodes)) steps within nodes, then ceil(log2(nodes)) between
/// nodes. For a power of two of ranks this is recursive halving. Otherwise ranks have neighbours in a
/// circulant graph, so that no ranks must be paired first (J. L. Träff, "Optimal, Non-pipelined
/// Reduce-scatter and Allreduce Algorithms", 2024). Then `root` (reduce) or all ranks (allreduce) gather.
void steps::halving(Schedule& schedule, Operation operation, std::size_t root) {
  using enum ScheduleStep::Arrival;
  const std::size_t ranks = schedule.ranks();
  for (std::size_t had = ranks; had > 1; had = schedule.kept(had)) {
    const std::size_t kept = schedule.kept(had), given = had - kept;
    const auto [next, previous, own, of_next] = neighbours(schedule.rank(), ranks, kept);
    const bool is_first = had == ranks;
    if (is_first) schedule.begin_with({(own + given) % ranks, kept - given});
    schedule.append({next,
                     {of_next, given},
                     is_first,
                     previous,
                     {own, given},
                     is_first ? meets_contribution : meets_partial});
  }
  if (operation == Operation::reduce) tree_of_blocks(schedule, Operation::gather, root);
  if (operation == Operation::allreduce) doubling(schedule, Operation::allgather, root);
}

/// Gives all ranks block r of each rank r, in the steps of halving, in the opposite direction and order.
void steps::doubling(Schedule& schedule, Operation, std::size_t) {
  const std::size_t first = schedule.steps().size();
  for (std::size_t had = schedule.ranks(); had > 1; had = schedule.kept(had)) {
    const std::size_t kept = schedule.kept(had), given = had - kept;
    const auto [next, previous, own, of_next] = neighbours(schedule.rank(), schedule.ranks(), kept);
    schedule.append({previous, {own, given}, false, next, {of_next, given}});
  }
  std::ranges::reverse(schedule.steps().subspan(first));
}

/// Scatters from `root`, then gathers to all ranks. Nobody sends anything to `root`, which has all blocks.
void steps::scatter_allgather(Schedule& schedule, Operation, std::size_t root) {
  tree_of_blocks(schedule, Operation::scatter, root);
  doubling(schedule, Operation::allgather, root);
  for (ScheduleStep& step : schedule.steps()) {
    if (step.to == root) step.out = {};
    if (schedule.rank() == root) step.in = {};
  }
}

} // namespace helper::collective
