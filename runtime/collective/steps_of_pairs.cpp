// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/schedule.hpp"
#include "collective/selection.hpp"

namespace helper::collective {

namespace {

/// Exchanges blocks with every other rank, with the step `step_of(peer)`. In each step all ranks are in
/// pairs. A summary of the schedule has the peers in the order of ranks, from the next rank on.
template <class StepOf>
void with_each(Schedule& schedule, const StepOf& step_of) {
  const std::size_t rank = schedule.rank(), ranks = schedule.ranks();
  if (schedule.is_summary())
    return void(
        schedule.append_run(ranks - 1, [&](std::size_t step) { return step_of((rank + 1 + step) % ranks); }));
  for (std::size_t step = 0; step < ranks; ++step)
    if (const std::size_t peer = Schedule::partner(step, rank, ranks); peer != rank)
      schedule.append(step_of(peer));
}

void allgather(Schedule& schedule, std::size_t at_a_time) {
  with_each(schedule, [&](std::size_t peer) {
    return ScheduleStep{
        .to = peer, .out = {schedule.block(), 1}, .from = peer, .in = {peer, 1}, .at_a_time = at_a_time};
  });
}

} // namespace

/// Gathers, exchanges, or reduces in the order of ranks and scatters, by messages between all pairs of ranks.
void steps::pairs(Schedule& schedule, Operation operation, std::size_t) {
  using enum ScheduleStep::Arrival;
  if (is_allgather(operation)) return allgather(schedule, lanes);
  const bool reduces = is_reduce_scatter(operation);
  with_each(schedule, [&](std::size_t peer) {
    return ScheduleStep{peer,
                        {peer, 1},
                        true,
                        peer,
                        {reduces ? schedule.block() : peer, 1},
                        reduces ? meets_contribution : stored,
                        reduces ? schedule.ranks() - 1 : lanes};
  });
}

/// Every rank reduces a block and sends it to all ranks, or to `root`.
void steps::pairs_and_gather(Schedule& schedule, Operation operation, std::size_t root) {
  pairs(schedule, Operation::reduce_scatter, root);
  operation == Operation::reduce ? linear(schedule, Operation::gather, root)
                                 : allgather(schedule, schedule.ranks() - 1);
}

} // namespace helper::collective
