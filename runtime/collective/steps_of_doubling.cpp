// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <bit>

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

namespace {

/// Gives each rank r >= `first` the result of ranks `first` to r, in ceil(log2(ranks)) exchanges.
void scan(Schedule& schedule, std::size_t first) {
  const std::size_t rank = schedule.rank(), ranks = schedule.ranks();
  if (rank < first) return;
  for (std::size_t distance = 1; distance < ranks - first; distance *= 2) {
    ScheduleStep step{.arrival = ScheduleStep::Arrival::meets_partial};
    if (rank + distance < ranks) step.to = rank + distance, step.out = schedule.all();
    if (rank >= first + distance) step.from = rank - distance, step.in = schedule.all();
    schedule.append(step);
  }
}

/// Gives all ranks the result, with the same bits, in log2(ranks) exchanges. If `ranks` is no power of two,
/// the first ranks form pairs, and one of each pair takes part for both: this needs two more messages.
void allreduce(Schedule& schedule) {
  using enum ScheduleStep::Arrival;
  const std::size_t rank = schedule.rank(), ranks = schedule.ranks();
  const BlockRun all = schedule.all();
  const std::size_t participants = std::bit_floor(ranks), folded = ranks - participants;
  const bool in_pair = rank < 2 * folded;
  if (in_pair && rank % 2 == 0) {
    schedule.append({.to = rank + 1, .out = all}).append({.from = rank + 1, .in = all});
    return;
  }
  if (in_pair) schedule.append({.from = rank - 1, .in = all, .arrival = meets_partial});
  const std::size_t position = in_pair ? rank / 2 : rank - folded;
  for (std::size_t distance = 1; distance < participants; distance *= 2) {
    const std::size_t other = position ^ distance;
    const std::size_t peer = other < folded ? 2 * other + 1 : other + folded;
    schedule.append({peer, all, false, peer, all, meets_partial});
  }
  if (in_pair) schedule.append({.to = rank - 1, .out = all});
}

} // namespace

/// Reduces or scans whole vectors, in the order of ranks. For an exscan all vectors move up by a rank first.
void steps::doubling_of_vectors(Schedule& schedule, Operation operation, std::size_t) {
  const std::size_t rank = schedule.rank();
  schedule.whole();
  if (!is_scan(operation)) return allreduce(schedule);
  if (operation == Operation::scan) return scan(schedule, 0);
  ScheduleStep up;
  if (rank + 1 < schedule.ranks()) up.to = rank + 1, up.out = schedule.all();
  if (rank > 0) up.from = rank - 1, up.in = schedule.all();
  schedule.append(up);
  scan(schedule, 1);
}

} // namespace helper::collective
