// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/cost.hpp"

#include <algorithm>
#include <cmath>

#include "collective/scheduled.hpp"

namespace helper::collective {

bool is_modelled(Operation operation) noexcept {
  using enum Operation;
  return is_in<set_of(bcast, alltoall) | sets::reductions | sets::allgathers | sets::rooted | sets::scans>(
      operation);
}

/// Returns the bytes of a share such that a rank receives `chunk` bytes in total from the other ranks.
static std::size_t share_of(std::size_t chunk, int ranks) noexcept {
  return std::max<std::size_t>(chunk / static_cast<std::size_t>(std::max(ranks - 1, 1)), 1);
}

namespace cut {

ScheduledChunks nothing(Operation, const Situation&, const NetworkCosts&) noexcept {
  return {any_size, lanes};
}
ScheduledChunks usual(Operation, const Situation& situation, const NetworkCosts&) noexcept {
  return {situation.chunk, lanes};
}
ScheduledChunks scheduled(Operation operation, const Situation& situation,
                          const NetworkCosts& costs) noexcept {
  return scheduled_chunks(operation, situation.chunk, static_cast<std::size_t>(situation.ranks),
                          situation.bytes, costs);
}
/// With n chunks, the time is the way of one chunk along the chain, which falls with n, plus n times the
/// overhead of two messages. This size makes the sum least. Within a node chunks are as large as allowed.
ScheduledChunks along_chain(Operation, const Situation& situation, const NetworkCosts& costs) noexcept {
  if (situation.nodes == 1) return {situation.chunk, lanes};
  const double byte_on_way =
      (situation.nodes - 1) * costs.per_byte + (situation.ranks - situation.nodes) * costs.local_byte;
  const double best = std::sqrt(static_cast<double>(situation.bytes) * 2 * costs.overhead / byte_on_way);
  const std::size_t pieces = static_cast<std::size_t>(best) / least_piece + 1;
  return {std::min(pieces * least_piece, situation.chunk), lanes};
}
ScheduledChunks at_root(Operation, const Situation& situation, const NetworkCosts&) noexcept {
  return {share_of(situation.chunk, situation.ranks), lanes};
}
ScheduledChunks of_pairs(Operation, const Situation& situation, const NetworkCosts&) noexcept {
  return {share_of(situation.chunk, situation.ranks) * static_cast<std::size_t>(situation.ranks), lanes};
}
ScheduledChunks between_nodes(Operation, const Situation& situation, const NetworkCosts&) noexcept {
  const auto nodes = static_cast<std::size_t>(situation.nodes);
  const std::size_t chunk = scheduled_chunk(std::min(situation.chunk, nodes_chunk), nodes);
  // The largest node determines the size of a share, the smallest node the number of shares.
  return {share_of(chunk, situation.most_on_node) * static_cast<std::size_t>(situation.fewest_on_node),
          lanes};
}

} // namespace cut

Schedule schedule_of(Operation operation, Algorithm algorithm, const Situation& situation, std::size_t rank,
                     bool is_summary) {
  if (algorithm == Algorithm::native) return native_schedule(operation, situation, rank, is_summary);
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  const auto nodes = static_cast<std::size_t>(situation.nodes);
  const auto on_node = static_cast<std::size_t>(situation.most_on_node);
  const Method& how = method(operation, algorithm);
  const std::size_t blocks = nodes * static_cast<std::size_t>(situation.fewest_on_node);
  const bool are_dealt = how.deals(blocks == ranks);
  Schedule schedule = are_dealt ? Schedule(rank % on_node * nodes + rank / on_node, nodes * on_node, nodes)
                                : Schedule(rank, ranks);
  schedule.summary(is_summary).cut_into(are_dealt ? blocks : ranks);
  if (is_reduce_scatter(operation) && algorithm == Algorithm::recursive_halving &&
      situation.bytes <= short_most) {
    steps::bruck(schedule, operation, 0);
  } else {
    how.append(schedule, operation, 0);
  }
  if (are_dealt) schedule.among([=](std::size_t of) { return of % nodes * on_node + of / nodes; });
  if (algorithm == Algorithm::pairwise && is_alltoall(operation) && situation.bytes <= short_most)
    schedule.at_a_time(most_messages);
  return schedule;
}

} // namespace helper::collective
