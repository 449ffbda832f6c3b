// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/cost.hpp"

#include <algorithm>
#include <cmath>

#include "collective/modelled_call.hpp"
#include "collective/rank_order.hpp"
#include "collective/scheduled.hpp"
#include "pipeline/lane.hpp"

namespace helper::collective {

namespace {

/// Where more than two nodes send to one another at once, several share the way to each, and larger messages
/// fill the switch. Four hosts, links of 100 Mbit/s: an allgather of 64 KiB takes 5.9 ms by pairs, 4.3 by
/// doubling or round a ring; one of 1 MiB 90 to 96 ms by pairs, 67 to 71 round a ring. At 1 Gbit/s 4 MiB take
/// 48 ms by pairs, 44 by doubling. An alltoall of 64 KiB takes 22 to 24 ms, of which the links need 17, one
/// of 4 KiB as long as they. Reductions of 64 KiB by pairs take as long as the links need.
constexpr double collision = 1.25;
constexpr double collision_least = 128.0 * 1024;
constexpr double collision_least_allgather = 64.0 * 1024;
constexpr double collision_least_message = 16.0 * 1024; // of an alltoall

} // namespace

/// Returns the work on a chunk whose data go through one pass or two, where every rank gets the shares of all
/// others, or sends it to them, in so many messages of a pass; steps are to be added. Where the root scatters
/// or gathers, its node's link alone counts.
ChunkWork ModelledCall::of_passes(double messages_of_pass, double of) const noexcept {
  const bool is_rooted = operation == Operation::bcast || operation == Operation::reduce;
  const bool reduces = operation != Operation::bcast && !is_allgather(operation);
  return {0, pass_count() * messages_of_pass,
          (is_rooted ? 1 + on_node : pass_count() * on_node) * of * (ranks - on_node) / ranks,
          reduces ? of * others(ranks) / costs.team : 0, pass_count() * of * ((on_node - 1) / ranks)};
}

/// Returns the same where the steps are log2(ranks), of which some are within nodes, and ranks are in order:
/// most of the data goes between nodes.
ChunkWork ModelledCall::of_halvings_in_order(double of) const noexcept {
  ChunkWork work = of_passes(log(ranks), of);
  work.local_steps = pass_count() * log(on_node);
  work.steps = pass_count() * log(ranks) - work.local_steps;
  return work;
}

/// Returns the same where ranks are in the order of RankOrder.
ChunkWork ModelledCall::of_halvings(double of) const noexcept {
  ChunkWork work = of_halvings_in_order(of);
  if (!keeps_to_nodes()) return work;
  work.steps = pass_count() * log(nodes);
  work.messages = work.steps + work.local_steps;
  work.wire = pass_count() * of * others(nodes);
  work.local = pass_count() * of * others(on_node);
  return work;
}

double ModelledCall::by_halving() const noexcept {
  const ScheduledChunks cut = scheduled();
  const double of = chunk(cut.bytes);
  ChunkWork work = of_halvings(of);
  if (is_reduce_scatter(operation) && bytes <= short_most) { // without staging and the team
    work.reduced *= costs.team;
    return total(work);
  }
  if (!is_power(ranks)) work.messages *= 2; // of a run that goes round the end there are two
  if (is_staged(of) || (pass_count() == 1 && keeps_to_nodes())) work.local += of / costs.team;
  return pipelined(work, of, cut);
}

/// One rank of each node sends to another node, and the others within it: the way of a block has as many
/// steps of either kind. What it takes within nodes shows where it is more than a link is busy.
ChunkWork ModelledCall::round_ring(double passes, double of) const noexcept {
  const double sent = passes * of * others(ranks);
  const double between = 1 / on_node;
  const double local = sent * (1 - between) * (1 - costs.per_byte / costs.local_byte);
  const double steps = passes * (ranks - 1);
  return {steps * between, steps, sent, 0, std::max(local, 0.0), steps * (1 - between)};
}

double ModelledCall::by_ring() const noexcept {
  const ScheduledChunks cut = scheduled();
  const double of = chunk(cut.bytes);
  ChunkWork work = round_ring(pass_count(), of);
  const double hidden = on_node > 1 ? pass_count() * of * others(ranks) - work.local : 0; // by the busy link
  if (!is_allgather(operation)) work.reduced = of * others(ranks) / costs.team;
  if (is_staged(of)) work.local += of / costs.team;
  return pipelined(work, chunks(of), on_processor(work) + hidden * costs.local_byte,
                   static_cast<double>(cut.lanes));
}

/// In each step of an alltoall a rank sends half of `all` that it has for others, to other nodes but in the
/// first steps, and packs and unpacks it.
ChunkWork ModelledCall::of_bruck(double all) const noexcept {
  const double within = log(on_node);
  const double steps = log(ranks);
  const double wire = all / 2 * (on_node * (steps - within) + on_node - 1);
  return {steps - within, steps, wire, 0, (steps + 2) * all, within};
}

/// Of an allgather all goes through staging once, but for few bytes, of which all ranks give as many.
double ModelledCall::by_bruck() const noexcept {
  const ScheduledChunks cut = scheduled();
  if (is_allgather(operation)) {
    const double of = chunk(cut.bytes);
    ChunkWork work = of_halvings(of);
    if (operation != Operation::allgather || bytes > short_most) work.local += of;
    return pipelined(work, of, cut);
  }
  const double all = bytes * ranks;
  const double of = std::min(all, static_cast<double>(cut.bytes));
  ChunkWork work = of_bruck(of);
  if (of / 2 > 2 * double{pipeline::grain}) work.local /= costs.team;
  return pipelined(work, std::ceil(all / of));
}

/// Every rank sends to every other, and so many messages are under way at a time.
double ModelledCall::alltoall_pairwise(double under_way) const noexcept {
  ChunkWork work{std::ceil((ranks - 1) / under_way), ranks - 1, bytes * (ranks - on_node) * on_node, 0,
                 bytes * (on_node - 1)};
  if (nodes > 2 && bytes >= collision_least_message) work.wire *= collision;
  if (under_way == 1) return in_turn(work);
  return work.steps * costs.latency + std::max(on_wire(work), on_processor(work));
}

/// Every rank sends to every other in one step; in an allgather a number of them at a time.
double ModelledCall::by_all_pairs() const noexcept {
  const double of = is_allgather(operation) ? bytes : chunk(chunk_bytes);
  ChunkWork work = of_passes(ranks - 1, of);
  const double least = is_allgather(operation) ? collision_least_allgather : collision_least;
  if (nodes > 2 && of >= least) work.wire *= collision;
  if (is_prepared(operation, static_cast<std::size_t>(bytes))) work.messages *= preparation;
  if (is_allgather(operation)) {
    work.steps = std::ceil((ranks - 1) / lanes);
    return total(work);
  }
  work.steps = is_reduce_scatter(operation) ? 1 : 2;
  return pipelined(work, chunks(of));
}

/// All of the data go with each of few messages, of which the first ones stay within a node. Along a tree one
/// rank of a node sends to other nodes, otherwise all do.
double ModelledCall::whole_vectors(bool is_tree) const noexcept {
  const double between = log(nodes);
  const double within = log(ranks) - between;
  return total({between, log(ranks), between * bytes * (is_tree ? 1 : on_node),
                operation == Operation::bcast ? 0 : log(ranks) * bytes, within * bytes, within});
}

/// One of the ranks sends or receives all. Of blocks several are under way at a time, and their messages take
/// it half of what they would if it did both; within a node the senders copy.
double ModelledCall::linear() const noexcept {
  if (!is_regular_rooted(operation)) return total({1, ranks - 1, bytes * (ranks - 1)});
  const double copied = operation == Operation::scatter ? on_node - 1 : 1 - 1 / on_node;
  return costs.latency + std::max(bytes * (ranks - on_node) * costs.per_byte, ranks / 2 * costs.overhead) +
         bytes * copied * costs.local_byte;
}

/// Blocks go along a tree, all through the root's link. Several chunks go through its staging, and one does
/// unless the root is rank 0, as of native MPI's data half do; the team packs or unpacks what is worth it.
double ModelledCall::by_subtrees() const noexcept {
  const double all = bytes * ranks;
  const double of = std::min(all, static_cast<double>(scheduled().bytes));
  const double copied = all > of ? of : of / 2;
  const double staged = of > 2 * double{pipeline::grain} ? copied / costs.team : copied;
  const double between = log(nodes);
  return pipelined({between, log(ranks), of * (ranks - on_node) / ranks, 0,
                    staged + of * (on_node - 1) / ranks, log(ranks) - between},
                   std::ceil(all / of));
}

/// All nodes have ranks that send to another node in every step. But while the distance is within a node they
/// are too near one another for a message to wait for more than one of these.
double ModelledCall::dissemination() const noexcept {
  const double steps = log(ranks);
  const double between = std::min(log(nodes) + 1, steps);
  return total({between, steps, 0, 0, 0, steps - between});
}

/// Here nobody waits for what goes round the end, and so for none of these.
double ModelledCall::prefixes() const noexcept {
  const double shifts = operation == Operation::exscan ? 1 : 0;
  const double steps = log(ranks - shifts);
  const double messages = steps + shifts;
  const double far = steps - log(on_node); // further than a node
  const double between = far + shifts;
  return total({between, messages, (far * on_node + on_node - 1 + shifts) * bytes, steps * bytes,
                (messages - between) * bytes, messages - between});
}

double ModelledCall::two_level() const noexcept {
  const double of =
      chunk(scheduled_chunk(std::min(chunk_bytes, nodes_chunk), static_cast<std::size_t>(nodes)));
  const double steps = 2 * log(nodes);
  return pipelined({steps, 2 * (on_node - 1) + steps, 2 * of * others(nodes),
                    of * (others(on_node) + others(nodes) / on_node) / costs.team, 2 * of * others(on_node),
                    2},
                   chunks(of));
}

/// Chunks take each hop from rank to rank one behind the other, as fast as the slowest hop. In a broadcast
/// among more than two nodes a rank does not get one while it sends another, since what it answers to the
/// sender waits behind that: on 16 hosts with links of 100 Mbit/s one of 1 MiB, which takes 89 ms on each,
/// takes 259 in chunks of 28 KiB, and 246 in those of 4; on 4 hosts 176. Prefixes of 1 MiB take 94 ms on 4
/// hosts, and 100 on 8; on 16, of which 8 share a processor, 165.
double ModelledCall::along_chain() const noexcept {
  const double of = chunk(chain_bytes);
  const double reduced = operation == Operation::bcast ? 0 : of / costs.team;
  const ChunkWork between{1, 2, of, reduced};
  const ChunkWork within{0, 2, 0, reduced, of, 1};
  const double directions = operation == Operation::bcast && nodes > 2 ? 2 : 1;
  const double slowest = std::max(
      {directions * on_wire(between), on_processor(between), ranks > nodes ? on_processor(within) : 0});
  return (nodes - 1) * total(between) + (ranks - nodes) * total(within) + (chunks(of) - 1) * slowest;
}

double ModelledCall::down_tree() const noexcept {
  const double of = chunk(chunk_bytes);
  const double between = log(nodes);
  const double within = log(ranks) - between;
  return pipelined({between, log(ranks), between * of, 0, within * of, within}, chunks(of));
}

bool is_modelled(Operation operation) noexcept {
  switch (operation) {
  case Operation::bcast:
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::reduce_scatter:
  case Operation::reduce_scatter_block:
  case Operation::gather:
  case Operation::scatter:
  case Operation::allgather:
  case Operation::allgatherv:
  case Operation::alltoall:
  case Operation::scan:
  case Operation::exscan:
    return true;
  default:
    return false;
  }
}

double model_seconds(Operation operation, Algorithm algorithm, const Situation& situation,
                     const NetworkCosts& costs) noexcept {
  const ModelledCall call(operation, situation, costs);
  switch (algorithm) {
  case Algorithm::binomial:
    return is_regular_rooted(operation) ? call.by_subtrees() : call.whole_vectors(true);
  case Algorithm::dissemination:
    return call.dissemination();
  case Algorithm::recursive_doubling:
    if (is_scan(operation)) return call.prefixes();
    return is_allgather(operation) ? call.by_halving() : call.whole_vectors(false);
  case Algorithm::recursive_halving:
  case Algorithm::scatter_allgather:
    return call.by_halving();
  case Algorithm::ring:
    return call.by_ring();
  case Algorithm::bruck:
    return call.by_bruck();
  case Algorithm::pairwise:
    if (is_alltoall(operation))
      return call.alltoall_pairwise(situation.bytes <= short_most ? double{most_messages} : double{lanes});
    [[fallthrough]];
  case Algorithm::reduce_scatter_allgather:
  case Algorithm::reduce_scatter_gather:
    return call.by_all_pairs();
  case Algorithm::two_level:
    return call.two_level();
  case Algorithm::pipelined_tree:
    return call.down_tree();
  case Algorithm::chain:
    return call.along_chain();
  case Algorithm::linear:
    return call.linear();
  default:
    return call.native();
  }
}

ScheduledChunks chunks_of(Operation operation, Algorithm algorithm, const Situation& situation,
                          const NetworkCosts& costs) noexcept {
  switch (algorithm) {
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
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  const auto nodes = static_cast<std::size_t>(situation.nodes);
  const auto on_node = static_cast<std::size_t>(situation.most_on_node);
  const bool are_dealt = RankOrder::deals(operation, algorithm) && nodes * on_node == ranks;
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
