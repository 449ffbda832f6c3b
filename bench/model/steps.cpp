// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What ranks do in collective operations, as steps for the simulator.

#include "model/scheduled.hpp"

#include "collective/cost.hpp"
#include "collective/scheduled.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace model {

namespace {

using namespace helper::collective;

std::int32_t number(std::size_t rank) {
  return static_cast<std::int32_t>(rank);
}

/// Ranks `first`, `first` + `stride` ... of which one is number `self` of `count`.
struct Ranks {
  std::size_t self, count;
  std::size_t first = 0, stride = 1;

  std::int32_t operator[](std::size_t index) const { return number(first + index * stride); }
};

void append(Steps& steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
}

/// A schedule's on `bytes` bytes.
Steps by_schedule(const Schedule& schedule, double bytes, const Ranks& among) {
  Steps steps;
  const auto size = [&](const BlockRun& run) {
    std::size_t blocks = 0;
    run.for_each_part(schedule.ranks(), [&](std::size_t begin, std::size_t end) { blocks += end - begin; });
    return bytes * static_cast<double>(blocks) / static_cast<double>(schedule.ranks());
  };
  for (const ScheduleStep& step : schedule.steps()) {
    Step& made = steps.emplace_back();
    if (step.out.count != 0) made.to = among[step.to], made.sends = size(step.out);
    if (step.in.count != 0) made.from = among[step.from], made.takes = size(step.in);
    made.reduces = step.arrival != ScheduleStep::Arrival::stored;
  }
  return steps;
}

/// All of the data down a binomial tree from the first rank; or, reversed, up.
Steps down_tree(double bytes, const Ranks& among) {
  Steps steps;
  const std::size_t lowest = among.self == 0 ? std::bit_ceil(among.count) : among.self & -among.self;
  if (among.self != 0) steps.push_back({.from = among[among.self - lowest], .takes = bytes});
  for (std::size_t bit = lowest / 2; bit > 0; bit /= 2)
    if (among.self + bit < among.count) steps.push_back({.to = among[among.self + bit], .sends = bytes});
  return steps;
}

Steps up_tree(double bytes, const Ranks& among) {
  Steps steps = down_tree(bytes, among);
  std::ranges::reverse(steps);
  for (Step& step : steps) step = {step.from, step.takes, step.to, step.sends, step.to >= 0};
  return steps;
}

/// All of the data to the rank that is so far away in each of log2 steps; where the ranks are no power of
/// two, some give theirs to others first and have the result from them.
Steps recursive_doubling(double bytes, const Ranks& among, bool reduces) {
  const std::size_t participants = std::bit_floor(among.count);
  const std::size_t folded = among.count - participants;
  const bool in_pair = among.self < 2 * folded;
  if (in_pair && among.self % 2 == 0)
    return {{.to = among[among.self + 1], .sends = bytes}, {.from = among[among.self + 1], .takes = bytes}};
  Steps steps;
  if (in_pair) steps.push_back({.from = among[among.self - 1], .takes = bytes, .reduces = reduces});
  const std::size_t position = in_pair ? among.self / 2 : among.self - folded;
  for (std::size_t distance = 1; distance < participants; distance *= 2) {
    const std::size_t other = position ^ distance;
    const std::int32_t peer = among[other < folded ? 2 * other + 1 : other + folded];
    steps.push_back({peer, bytes, peer, bytes, reduces});
  }
  if (in_pair) steps.push_back({.to = among[among.self - 1], .sends = bytes});
  return steps;
}

/// The messages of a barrier, to the rank that is so far ahead in each of log2 steps.
Steps dissemination(const Ranks& among) {
  Steps steps;
  for (std::size_t distance = 1; distance < among.count; distance *= 2)
    steps.push_back({.to = among[(among.self + distance) % among.count],
                     .from = among[(among.self + among.count - distance) % among.count]});
  return steps;
}

/// All of the data to the rank that is so far above in each of log2 steps. Where a rank's own are not to be
/// in its result, they move up by a rank first, and the first one is done.
Steps prefixes(double bytes, const Ranks& among, bool own) {
  Steps steps;
  const std::size_t first = own ? 0 : 1;
  const auto move_up = [&](std::size_t distance, bool reduces) {
    Step& step = steps.emplace_back();
    if (among.self + distance < among.count) step.to = among[among.self + distance], step.sends = bytes;
    if (among.self >= distance + (reduces ? first : 0))
      step.from = among[among.self - distance], step.takes = bytes;
    step.reduces = reduces;
  };
  if (!own) move_up(1, false);
  if (among.self < first) return steps;
  for (std::size_t distance = 1; distance < among.count - first; distance *= 2) move_up(distance, true);
  return steps;
}

/// MPICH's way: with the rank whose number differs in one bit, if there is one.
Steps prefixes_in_pairs(double bytes, const Ranks& among) {
  Steps steps;
  for (std::size_t bit = 1; bit < among.count; bit *= 2) {
    const std::size_t other = among.self ^ bit;
    if (other < among.count) steps.push_back({among[other], bytes, among[other], bytes, true});
  }
  return steps;
}

/// To and from the rank that is so far ahead and behind, in as many steps as there are others.
Steps pairwise(double bytes, const Ranks& among, bool reduces) {
  Steps steps;
  for (std::size_t step = 1; step < among.count; ++step)
    steps.push_back({among[(among.self + step) % among.count], bytes,
                     among[(among.self + among.count - step) % among.count], bytes, reduces});
  return steps;
}

/// The same where so many messages are under way at a time.
Steps scattered(double bytes, const Ranks& among, bool reduces, std::size_t under_way) {
  Steps steps;
  const Steps all = pairwise(bytes, among, reduces);
  for (std::size_t first = 0; first < all.size(); first += under_way) {
    const std::size_t last = std::min(first + under_way, all.size());
    for (std::size_t i = first; i < last; ++i) steps.push_back({.to = all[i].to, .sends = bytes});
    for (std::size_t i = first; i < last; ++i)
      steps.push_back({.from = all[i].from, .takes = bytes, .reduces = reduces});
  }
  return steps;
}

/// A chunk's in allreduce_two_level(): within the node to the owners of shares, between these, and back.
Steps two_level(double bytes, std::size_t rank, std::size_t nodes, std::size_t on_node) {
  const std::size_t node = rank / on_node, index = rank % on_node;
  const double share = bytes / static_cast<double>(on_node);
  const Ranks in_node{index, on_node, node * on_node};
  Steps steps = scattered(share, in_node, true, on_node);
  append(steps, by_schedule(schedule_of(Operation::allreduce, Algorithm::recursive_halving, node, nodes),
                            share, {node, nodes, index, on_node}));
  append(steps, scattered(share, in_node, false, on_node));
  return steps;
}

bool is_reduction(Operation operation) {
  return operation == Operation::reduce || operation == Operation::allreduce ||
         is_reduce_scatter(operation) || is_scan(operation);
}

/// A block to the first rank from every other, or from it.
Steps linear(Operation operation, double block, const Ranks& all) {
  const bool gathers = operation == Operation::gather;
  const auto with = [&](std::size_t peer, bool sends) {
    return sends ? Step{.to = all[peer], .sends = block} : Step{.from = all[peer], .takes = block};
  };
  if (all.self != 0) return {with(0, gathers)};
  Steps steps;
  for (std::size_t peer = 1; peer < all.count; ++peer) steps.push_back(with(peer, !gathers));
  return steps;
}

/// Every rank sends a block to every other, so many at a time; where all ranks or the first one are to have
/// what is reduced of them, that follows.
Steps all_pairs(Operation operation, double block, const Ranks& all, std::size_t under_way) {
  Steps steps = scattered(block, all, is_reduction(operation), under_way);
  if (operation == Operation::allreduce) append(steps, scattered(block, all, false, under_way));
  if (operation != Operation::reduce) return steps;
  if (all.self != 0) {
    steps.push_back({.to = all[0], .sends = block});
  } else {
    for (std::size_t from = 1; from < all.count; ++from) steps.push_back({.from = all[from], .takes = block});
  }
  return steps;
}

/// From rank to rank.
Steps along_chain(double bytes, const Ranks& among, bool reduces) {
  Steps steps;
  if (among.self > 0) steps.push_back({.from = among[among.self - 1], .takes = bytes, .reduces = reduces});
  if (among.self + 1 < among.count) steps.push_back({.to = among[among.self + 1], .sends = bytes});
  return steps;
}

/// What MPICH's leaders of nodes do between nodes.
Steps between_leaders(Operation operation, double bytes, const Ranks& nodes, std::size_t on_node) {
  if (operation == Operation::bcast) {
    if (bytes < 12288 || nodes.count * on_node < 8) return down_tree(bytes, nodes);
    Schedule schedule(nodes.self, nodes.count);
    schedule.scatter(0);
    const bool doubles = bytes < 524288 && std::has_single_bit(nodes.count * on_node);
    return by_schedule(doubles ? schedule.allgather_by_doubling() : schedule.allgather_by_ring(), bytes,
                       nodes);
  }
  if (bytes <= 2048)
    return operation == Operation::reduce ? up_tree(bytes, nodes) : recursive_doubling(bytes, nodes, true);
  return by_schedule(schedule_of(operation, Algorithm::recursive_halving, nodes.self, nodes.count), bytes,
                     nodes);
}

/// Reductions and broadcasts, which MPICH does within nodes and between their first ranks.
Steps by_leaders(Operation operation, double bytes, std::size_t rank, std::size_t nodes,
                 std::size_t on_node) {
  const std::size_t node = rank / on_node;
  const Ranks in_node{rank % on_node, on_node, node * on_node};
  Steps steps;
  if (is_reduction(operation)) steps = up_tree(bytes, in_node);
  if (in_node.self == 0) append(steps, between_leaders(operation, bytes, {node, nodes, 0, on_node}, on_node));
  if (operation != Operation::reduce) append(steps, down_tree(bytes, in_node));
  return steps;
}

/// All of a node first, then the leaders, which let the others go on.
Steps mpich_barrier(std::size_t rank, std::size_t nodes, std::size_t on_node) {
  const std::size_t node = rank / on_node;
  const Ranks in_node{rank % on_node, on_node, node * on_node};
  Steps steps = dissemination(in_node);
  if (in_node.self == 0) append(steps, dissemination({node, nodes, 0, on_node}));
  append(steps, down_tree(1, in_node));
  return steps;
}

/// Within each node; then between the leaders, who have what their nodes have from the last there and pass on
/// what the nodes before have; and that goes to all of a node, behind the word that there is something.
Steps mpich_scan(double bytes, std::size_t rank, std::size_t nodes, std::size_t on_node) {
  const std::size_t node = rank / on_node;
  const Ranks in_node{rank % on_node, on_node, node * on_node};
  const Ranks leaders{node, nodes, 0, on_node};
  if (on_node == 1) return prefixes_in_pairs(bytes, leaders);
  Steps steps = prefixes_in_pairs(bytes, in_node);
  if (in_node.self + 1 == on_node) steps.push_back({.to = in_node[0], .sends = bytes});
  if (in_node.self == 0) {
    steps.push_back({.from = in_node[on_node - 1], .takes = bytes});
    append(steps, prefixes_in_pairs(bytes, leaders));
    if (node + 1 < nodes) steps.push_back({.to = leaders[node + 1], .sends = bytes});
    if (node > 0) steps.push_back({.from = leaders[node - 1], .takes = bytes});
  }
  append(steps, down_tree(sizeof(int), in_node));
  if (node > 0) append(steps, down_tree(bytes, in_node));
  return steps;
}

/// Every rank has, or gets, a block.
Steps mpich_blocks(Operation operation, double bytes, const Ranks& all) {
  if (operation == Operation::alltoallv || operation == Operation::alltoallw)
    return scattered(bytes, all, false, 32);
  if (operation == Operation::alltoall) {
    if (bytes > 32768) return pairwise(bytes, all, false);
    if (all.count < 8 || bytes > 256) return scattered(bytes, all, false, 32);
    return by_schedule(schedule_of(operation, Algorithm::bruck, all.self, all.count),
                       bytes * static_cast<double>(all.count), all);
  }
  if (is_regular_rooted(operation))
    return by_schedule(schedule_of(operation, Algorithm::binomial, all.self, all.count),
                       bytes * static_cast<double>(all.count), all);
  const double block = bytes / static_cast<double>(all.count);
  if (operation == Operation::reduce_scatter_block && bytes >= 524288) return pairwise(block, all, true);
  const bool rings = native_rings(operation, static_cast<std::size_t>(bytes), all.count);
  return by_schedule(
      schedule_of(operation, rings ? Algorithm::ring : Algorithm::recursive_doubling, all.self, all.count),
      bytes, all);
}

/// A chunk's by halving and doubling, where the ranks are in the order of RankOrder.
Steps by_halving(Operation operation, Algorithm algorithm, double bytes, std::size_t rank, std::size_t nodes,
                 std::size_t on_node) {
  const std::size_t ranks = nodes * on_node;
  const std::size_t number = rank % on_node * nodes + rank / on_node;
  Schedule schedule = schedule_of(operation, algorithm, number, ranks, 0, nodes);
  schedule.among([=](std::size_t of) { return of % nodes * on_node + of / nodes; });
  return by_schedule(schedule, bytes, {rank, ranks});
}

/// How many bytes the library has in a chunk at most, and how many chunks under way.
ScheduledChunks chunks_of(Operation operation, Algorithm algorithm, const Situation& situation,
                          const NetworkCosts& costs) {
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
    return {is_reduction(operation) ? situation.chunk : any_size, lanes};
  default:
    return scheduled_chunks(operation, situation.chunk, static_cast<std::size_t>(situation.ranks),
                            situation.bytes, costs);
  }
}

/// How many messages a rank has under way at a time where it sends to every other one.
std::size_t under_way(Operation operation, const Situation& situation) {
  if (is_reduction(operation)) return static_cast<std::size_t>(situation.ranks);
  return is_alltoall(operation) && situation.bytes <= short_most ? most_messages : lanes;
}

/// What a rank packs and unpacks in Bruck's alltoall, of `bytes` bytes, which the simulator does at last.
double bruck_seconds(double bytes, std::size_t ranks, const NetworkCosts& costs) {
  return (std::ceil(std::log2(ranks)) + 2) * bytes * costs.local_byte;
}

/// What a root packs or unpacks of a chunk, of a single one half, with the team where that is worth it.
double staged_seconds(double bytes, bool is_single, const NetworkCosts& costs) {
  const double copied = is_single ? bytes / 2 : bytes;
  return copied * costs.local_byte / (bytes > 2 * double{helper::pipeline::grain} ? costs.team : 1);
}

/// What a rank takes to copy a chunk whose blocks are those of ranks, into staging or out of it.
double staging_seconds(Operation operation, Algorithm algorithm, double bytes, std::size_t chunks,
                       const Situation& situation, const NetworkCosts& costs) {
  if (is_alltoall(operation)) return bruck_seconds(bytes, static_cast<std::size_t>(situation.ranks), costs);
  if (is_regular_rooted(operation)) return staged_seconds(bytes, chunks == 1, costs);
  const bool is_short = operation == Operation::allgather && situation.bytes <= short_most;
  if (algorithm == Algorithm::bruck) return is_short ? 0 : bytes * costs.local_byte;
  const bool are_of_ranks = is_allgather(operation) || operation == Operation::reduce_scatter_block;
  const bool are_moved = chunks > 1 || (situation.most_on_node > 1 && algorithm != Algorithm::ring);
  return are_of_ranks && are_moved ? bytes * costs.local_byte / costs.team : 0;
}

} // namespace

ScheduledCall library_call(Operation operation, Algorithm algorithm, const Situation& situation,
                           const NetworkCosts& costs) {
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  const auto nodes = static_cast<std::size_t>(situation.nodes);
  const auto on_node = static_cast<std::size_t>(situation.most_on_node);
  // Of some they are those that go from rank to rank.
  const std::size_t all =
      is_alltoall(operation) || is_regular_rooted(operation) ? situation.bytes * ranks : situation.bytes;
  const ScheduledChunks cut = chunks_of(operation, algorithm, situation, costs);
  const std::size_t chunk = std::min(all, cut.bytes);
  const auto bytes = static_cast<double>(chunk);
  const std::size_t chunks = chunk == 0 ? 1 : (all + chunk - 1) / chunk;
  ScheduledCall call{{}, ranks, chunks, cut.lanes, costs.reduced_byte / costs.team};
  switch (algorithm) {
  case Algorithm::dissemination:
    call.steps = [=](std::size_t rank) { return dissemination({rank, ranks}); };
    break;
  case Algorithm::two_level:
    call.steps = [=](std::size_t rank) { return two_level(bytes, rank, nodes, on_node); };
    break;
  case Algorithm::pairwise:
  case Algorithm::reduce_scatter_allgather:
  case Algorithm::reduce_scatter_gather: {
    const std::size_t at_a_time = under_way(operation, situation);
    call.steps = [=](std::size_t rank) {
      return all_pairs(operation, bytes / static_cast<double>(ranks), {rank, ranks}, at_a_time);
    };
    if (is_prepared(operation, situation.bytes))
      call.seconds_per_chunk = (preparation - 1) * static_cast<double>(ranks - 1) * costs.overhead;
    break;
  }
  case Algorithm::pipelined_tree:
    call.steps = [=](std::size_t rank) { return down_tree(bytes, {rank, ranks}); };
    break;
  case Algorithm::chain:
    call.steps = [=](std::size_t rank) { return along_chain(bytes, {rank, ranks}, is_reduction(operation)); };
    break;
  case Algorithm::linear:
    if (!is_regular_rooted(operation)) break;
    call.steps = [=](std::size_t rank) {
      return linear(operation, bytes / static_cast<double>(ranks), {rank, ranks});
    };
    break;
  case Algorithm::binomial:
    if (!is_regular_rooted(operation)) {
      call.seconds_per_reduced = costs.reduced_byte;
      call.steps = [=](std::size_t rank) {
        return operation == Operation::bcast ? down_tree(bytes, {rank, ranks})
                                             : up_tree(bytes, {rank, ranks});
      };
      break;
    }
    [[fallthrough]];
  case Algorithm::recursive_doubling:
    if (is_reduction(operation)) {
      call.seconds_per_reduced = costs.reduced_byte;
      call.steps = [=](std::size_t rank) {
        return is_scan(operation) ? prefixes(bytes, {rank, ranks}, operation == Operation::scan)
                                  : recursive_doubling(bytes, {rank, ranks}, true);
      };
      break;
    }
    [[fallthrough]];
  case Algorithm::recursive_halving:
  case Algorithm::ring:
  case Algorithm::scatter_allgather:
  case Algorithm::bruck:
    call.seconds_per_chunk = staging_seconds(operation, algorithm, bytes, call.chunks, situation, costs);
    call.steps = [=](std::size_t rank) {
      const bool is_in_order =
          algorithm == Algorithm::ring || is_alltoall(operation) || is_regular_rooted(operation);
      return is_in_order ? by_schedule(schedule_of(operation, algorithm, rank, ranks), bytes, {rank, ranks})
                         : by_halving(operation, algorithm, bytes, rank, nodes, on_node);
    };
    break;
  default:
    break;
  }
  return call;
}

ScheduledCall mpich_call(Operation operation, const Situation& situation, const NetworkCosts& costs) {
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  const auto nodes = static_cast<std::size_t>(situation.nodes);
  const auto on_node = static_cast<std::size_t>(situation.most_on_node);
  const auto bytes = static_cast<double>(situation.bytes);
  const double all = bytes * static_cast<double>(ranks);
  ScheduledCall call{{}, ranks, 1, 1, costs.reduced_byte};
  switch (operation) {
  case Operation::bcast:
  case Operation::reduce:
  case Operation::allreduce:
    call.steps = [=](std::size_t rank) { return by_leaders(operation, bytes, rank, nodes, on_node); };
    break;
  case Operation::barrier:
    call.steps = [=](std::size_t rank) { return mpich_barrier(rank, nodes, on_node); };
    break;
  case Operation::scan:
    call.seconds_per_reduced *= 2; // with the prefix, and with what goes to the next rank
    if (on_node > 1) call.seconds_per_chunk = bytes * costs.reduced_byte;
    call.steps = [=](std::size_t rank) { return mpich_scan(bytes, rank, nodes, on_node); };
    break;
  case Operation::exscan:
    call.seconds_per_reduced *= 2;
    call.steps = [=](std::size_t rank) { return prefixes_in_pairs(bytes, {rank, ranks}); };
    break;
  default:
    if (operation == Operation::alltoall && ranks >= 8 && situation.bytes <= 256)
      call.seconds_per_chunk = bruck_seconds(all, ranks, costs);
    if (is_regular_rooted(operation)) call.seconds_per_chunk = (all - bytes) / 2 * costs.local_byte; // staged
    call.steps = [=](std::size_t rank) { return mpich_blocks(operation, bytes, {rank, ranks}); };
  }
  return call;
}

} // namespace model
