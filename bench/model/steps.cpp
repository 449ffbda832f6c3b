// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What ranks do in collective operations, as steps for the simulator: the library's schedules, and MPICH's
// algorithms, which are made of the like.

#include "model/scheduled.hpp"

#include "collective/cost.hpp"
#include "collective/scheduled.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

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

  std::size_t operator[](std::size_t index) const { return first + index * stride; }
  Schedule schedule() const { return {self, count}; }
};

void append(Steps& steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
}

/// A schedule's, among such ranks.
Steps among(const Ranks& ranks, Schedule schedule, double bytes) {
  return steps_of(schedule.among([&](std::size_t rank) { return ranks[rank]; }), bytes);
}

/// All of the data down a binomial tree from the first rank, or up.
Steps down_tree(double bytes, const Ranks& ranks) {
  return among(ranks, ranks.schedule().whole().bcast_by_tree(0), bytes);
}
Steps up_tree(double bytes, const Ranks& ranks) {
  return among(ranks, ranks.schedule().whole().reduce_by_tree(0), bytes);
}

Steps dissemination(const Ranks& ranks) {
  return among(ranks, ranks.schedule().whole().dissemination(), 0);
}

/// A block to the rank that is so far ahead, and from that behind, in as many steps as there are others.
Steps pairwise(double block, const Ranks& ranks, std::size_t at_a_time) {
  Schedule schedule = ranks.schedule();
  for (std::size_t step = 1; step < ranks.count; ++step) {
    const std::size_t to = (ranks.self + step) % ranks.count;
    const std::size_t from = (ranks.self + ranks.count - step) % ranks.count;
    schedule.append({.to = to, .out = {to, 1}, .from = from, .in = {from, 1}, .at_a_time = at_a_time});
  }
  return among(ranks, schedule, block * static_cast<double>(ranks.count));
}

/// MPICH's way: with the rank whose number differs in one bit, if there is one.
Steps prefixes_in_pairs(double bytes, const Ranks& ranks) {
  Steps steps;
  for (std::size_t bit = 1; bit < ranks.count; bit *= 2) {
    const std::size_t other = ranks.self ^ bit;
    if (other < ranks.count)
      steps.push_back({number(ranks[other]), bytes, number(ranks[other]), bytes, true});
  }
  return steps;
}

bool is_reduction(Operation operation) {
  return operation == Operation::reduce || operation == Operation::allreduce ||
         is_reduce_scatter(operation) || is_scan(operation);
}

/// What MPICH's leaders of nodes do between nodes.
Steps between_leaders(Operation operation, double bytes, const Ranks& nodes, std::size_t on_node) {
  if (operation == Operation::bcast) {
    if (bytes < 12288 || nodes.count * on_node < 8) return down_tree(bytes, nodes);
    Schedule schedule = nodes.schedule().scatter(0);
    const bool doubles = bytes < 524288 && std::has_single_bit(nodes.count * on_node);
    return among(nodes, doubles ? schedule.allgather_by_doubling() : schedule.allgather_by_ring(), bytes);
  }
  if (bytes <= 2048)
    return operation == Operation::reduce
               ? up_tree(bytes, nodes)
               : among(nodes, nodes.schedule().whole().allreduce_by_doubling(), bytes);
  return among(nodes, schedule_of(operation, Algorithm::recursive_halving, nodes.self, nodes.count), bytes);
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
  if (in_node.self + 1 == on_node) steps.push_back({.to = number(in_node[0]), .sends = bytes});
  if (in_node.self == 0) {
    steps.push_back({.from = number(in_node[on_node - 1]), .takes = bytes});
    append(steps, prefixes_in_pairs(bytes, leaders));
    if (node + 1 < nodes) steps.push_back({.to = number(leaders[node + 1]), .sends = bytes});
    if (node > 0) steps.push_back({.from = number(leaders[node - 1]), .takes = bytes});
  }
  append(steps, down_tree(sizeof(int), in_node));
  if (node > 0) append(steps, down_tree(bytes, in_node));
  return steps;
}

/// Every rank has, or gets, a block.
Steps mpich_blocks(Operation operation, double bytes, const Ranks& all) {
  if (operation == Operation::alltoallv || operation == Operation::alltoallw) return pairwise(bytes, all, 32);
  if (operation == Operation::alltoall) {
    if (bytes > 32768) return pairwise(bytes, all, 1);
    if (all.count < 8 || bytes > 256) return pairwise(bytes, all, 32);
    return steps_of(schedule_of(operation, Algorithm::bruck, all.self, all.count),
                    bytes * static_cast<double>(all.count));
  }
  if (is_regular_rooted(operation))
    return steps_of(schedule_of(operation, Algorithm::binomial, all.self, all.count),
                    bytes * static_cast<double>(all.count));
  const double block = bytes / static_cast<double>(all.count);
  if (operation == Operation::reduce_scatter_block && bytes >= 524288) {
    Steps steps = pairwise(block, all, 1);
    for (Step& step : steps) step.reduces = true;
    return steps;
  }
  const bool rings = native_rings(operation, static_cast<std::size_t>(bytes), all.count);
  const Algorithm halves =
      is_allgather(operation) ? Algorithm::recursive_doubling : Algorithm::recursive_halving;
  return steps_of(schedule_of(operation, rings ? Algorithm::ring : halves, all.self, all.count), bytes);
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
  if (algorithm == Algorithm::pairwise && is_prepared(operation, situation.bytes))
    return (preparation - 1) * (situation.ranks - 1) * costs.overhead;
  if (!goes_through_staging(operation, algorithm)) return 0;
  if (is_alltoall(operation)) return bruck_seconds(bytes, static_cast<std::size_t>(situation.ranks), costs);
  if (is_regular_rooted(operation)) return staged_seconds(bytes, chunks == 1, costs);
  const bool is_short = operation == Operation::allgather && situation.bytes <= short_most;
  if (algorithm == Algorithm::bruck) return is_short ? 0 : bytes * costs.local_byte;
  const bool are_of_ranks = is_allgather(operation) || operation == Operation::reduce_scatter_block;
  const bool are_moved = chunks > 1 || (situation.most_on_node > 1 && algorithm != Algorithm::ring);
  return are_of_ranks && are_moved ? bytes * costs.local_byte / costs.team : 0;
}

} // namespace

Steps steps_of(const Schedule& schedule, double bytes) {
  const double block = bytes / static_cast<double>(schedule.blocks());
  // Calls `visit(bytes)` for each message.
  const auto for_each_message = [&](const BlockRun& run, const auto& visit) {
    double all = 0;
    if (run.count == 0) return;
    run.for_each_part(schedule.blocks(), [&](std::size_t begin, std::size_t end) {
      all += block * static_cast<double>(end - begin);
      if (run.period == 0) visit(std::exchange(all, 0));
    });
    if (run.period != 0) visit(all);
  };
  Steps made;
  const std::span<const ScheduleStep> steps = schedule.steps();
  for (std::size_t first = 0; first < steps.size();) {
    std::size_t last = first;
    do ++last;
    while (last < steps.size() && last - first < steps[first].at_a_time &&
           steps[last].at_a_time == steps[first].at_a_time);
    for (const ScheduleStep& step : steps.subspan(first, last - first))
      for_each_message(step.out,
                       [&](double size) { made.push_back({.to = number(step.to), .sends = size}); });
    for (const ScheduleStep& step : steps.subspan(first, last - first))
      for_each_message(step.in, [&](double size) {
        const bool reduces = step.arrival != ScheduleStep::Arrival::stored;
        made.push_back({.from = number(step.from), .takes = size, .reduces = reduces});
      });
    first = last;
  }
  return made;
}

ScheduledCall library_call(Operation operation, Algorithm algorithm, const Situation& situation,
                           const NetworkCosts& costs) {
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  // Of some they are those that go from rank to rank.
  const std::size_t each = operation == Operation::barrier ? 0 : situation.bytes;
  const std::size_t all = is_alltoall(operation) || is_regular_rooted(operation) ? each * ranks : each;
  const ScheduledChunks cut = chunks_of(operation, algorithm, situation, costs);
  const std::size_t chunk = std::min(all, cut.bytes);
  const auto bytes = static_cast<double>(chunk);
  const std::size_t chunks = chunk == 0 ? 1 : (all + chunk - 1) / chunk;
  ScheduledCall call{{}, ranks, chunks, cut.lanes, costs.reduced_byte};
  if (!is_by_messages(algorithm)) return call;
  if (!is_short(operation, algorithm)) call.seconds_per_reduced /= costs.team;
  call.seconds_per_chunk = staging_seconds(operation, algorithm, bytes, chunks, situation, costs);
  call.steps = [=](std::size_t rank) {
    return steps_of(schedule_of(operation, algorithm, situation, rank), bytes);
  };
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
    call.steps = [=](std::size_t rank) { return prefixes_in_pairs(bytes, Ranks{rank, ranks}); };
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
