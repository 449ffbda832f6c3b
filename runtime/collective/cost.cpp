// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/cost.hpp"

#include <algorithm>
#include <cmath>

#include "collective/rank_order.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

bool is_modelled(Operation operation) noexcept {
  return operation == Operation::bcast || operation == Operation::reduce ||
         operation == Operation::allreduce || operation == Operation::alltoall || is_one_pass(operation) ||
         is_regular_rooted(operation) || is_scan(operation);
}

ScheduledChunks chunks_of(Operation operation, Algorithm algorithm, const Situation& situation,
                          const NetworkCosts& costs) noexcept {
  switch (algorithm) {
  case Algorithm::native:
    return {any_size, 1};
  case Algorithm::two_level:
    return {
        scheduled_chunk(std::min(situation.chunk, nodes_chunk), static_cast<std::size_t>(situation.nodes)),
        lanes};
  case Algorithm::pipelined_tree:
  case Algorithm::reduce_scatter_allgather:
  case Algorithm::reduce_scatter_gather:
    return {situation.chunk, lanes};
  case Algorithm::chain:
    return {chain_chunk(situation, costs), lanes};
  case Algorithm::linear:
    return {any_size, lanes};
  case Algorithm::pairwise:
    return {is_reduce_scatter(operation) ? situation.chunk : any_size, lanes};
  default:
    return scheduled_chunks(operation, situation.chunk, static_cast<std::size_t>(situation.ranks),
                            situation.bytes, costs);
  }
}

Schedule schedule_of(Operation operation, Algorithm algorithm, const Situation& situation, std::size_t rank) {
  if (algorithm == Algorithm::native) return native_schedule(operation, situation, rank);
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  const auto nodes = static_cast<std::size_t>(situation.nodes);
  const auto on_node = static_cast<std::size_t>(situation.most_on_node);
  const bool are_dealt =
      RankOrder::deals(operation, algorithm) && situation.even_nodes && nodes * on_node == ranks;
  Schedule schedule(are_dealt ? rank % on_node * nodes + rank / on_node : rank, ranks,
                    are_dealt || algorithm == Algorithm::two_level ? nodes : 1);
  if (is_reduce_scatter(operation) && algorithm == Algorithm::recursive_halving &&
      situation.bytes <= short_most) {
    schedule.reduce_scatter_by_bruck();
  } else {
    append_steps(schedule, operation, algorithm);
  }
  if (are_dealt) schedule.among([=](std::size_t of) { return of % nodes * on_node + of / nodes; });
  if (algorithm == Algorithm::pairwise && is_alltoall(operation) && situation.bytes <= short_most)
    schedule.at_a_time(most_messages);
  return schedule;
}

// With n chunks of `bytes` / n the time is that of a chunk's way, which falls with n, and n times the
// overhead of two messages; this is where the sum is the least.
std::size_t chain_chunk(const Situation& situation, const NetworkCosts& costs) noexcept {
  if (situation.nodes == 1) return situation.chunk;
  const double byte_on_way =
      (situation.nodes - 1) * costs.per_byte + (situation.ranks - situation.nodes) * costs.local_byte;
  const double best = std::sqrt(static_cast<double>(situation.bytes) * 2 * costs.overhead / byte_on_way);
  const std::size_t pieces = static_cast<std::size_t>(best) / least_piece + 1;
  return std::min(pieces * least_piece, situation.chunk);
}

} // namespace helper::collective
