// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The steps of MPICH 4.0's algorithms, with the thresholds of generic.json and of its algorithms for nodes.

#include <bit>
#include <utility>

#include "collective/cost.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

/// `count` of the ranks: `first`, `first` + `stride` … This rank is number `self` of them.
struct SomeRanks {
  bool is_summary;
  std::size_t self, count, first = 0, stride = 1;

  std::size_t operator[](std::size_t index) const { return first + index * stride; }
  Schedule schedule() const { return std::move(Schedule(self, count).summary(is_summary)); }
  Schedule by(AppendSteps& append, Operation operation) const {
    Schedule made = schedule();
    append(made, operation, 0);
    return made;
  }
};

/// Appends `part`, the steps of some of the ranks, to `all`.
void add(Schedule& all, const SomeRanks& ranks, const Schedule& part) {
  for (ScheduleStep step : part.steps()) {
    step.to = ranks[step.to], step.from = ranks[step.from];
    step.to_moves *= ranks.stride, step.from_moves *= ranks.stride;
    for (BlockRun* const run : {&step.out, &step.in})
      if (part.blocks() == 1 && run->count != 0 && run->period == 0) *run = all.all();
    all.append(step);
  }
}

/// In step i, from 1 on, sends a block to the rank i after this one, and receives one from the rank i before.
Schedule pairwise(const SomeRanks& ranks, std::size_t at_a_time, ScheduleStep::Arrival arrival = {}) {
  Schedule made = ranks.schedule();
  made.append_run(ranks.count - 1, [=](std::size_t step) {
    const std::size_t to = (ranks.self + 1 + step) % ranks.count;
    const std::size_t from = (ranks.self + 2 * ranks.count - 1 - step) % ranks.count;
    return ScheduleStep{to, {to, 1}, true, from, {from, 1}, arrival, at_a_time};
  });
  return made;
}

/// Scans. In each step two ranks exchange whose numbers differ in one bit, if both exist.
Schedule prefixes_in_pairs(const SomeRanks& ranks) {
  Schedule schedule = ranks.schedule();
  schedule.whole();
  for (std::size_t bit = 1; bit < ranks.count; bit *= 2)
    if (const std::size_t other = ranks.self ^ bit; other < ranks.count)
      schedule.append(
          {other, schedule.all(), false, other, schedule.all(), ScheduleStep::Arrival::meets_partial});
  return schedule;
}

/// The steps between leaders, the first ranks of the nodes.
Schedule between_leaders(Operation operation, const Situation& situation, const SomeRanks& nodes) {
  if (operation == Operation::bcast) {
    if (situation.bytes < 12288 || situation.ranks < 8) return nodes.by(steps::tree, operation);
    const bool doubles =
        situation.bytes < 524288 && std::has_single_bit(static_cast<unsigned>(situation.ranks));
    Schedule schedule = nodes.by(steps::tree_of_blocks, Operation::scatter);
    (doubles ? steps::doubling : steps::ring)(schedule, Operation::allgather, 0);
    return schedule;
  }
  if (situation.bytes > 2048) return nodes.by(steps::halving, operation);
  return nodes.by(operation == Operation::reduce ? steps::tree : steps::doubling_of_vectors, operation);
}

/// Scans within nodes. The last rank of a node sends the node's result to the leader. The leaders scan. A
/// leader sends its node a message without data, then the result of all earlier nodes.
void append_scan(Schedule& all, const SomeRanks& in_node, const SomeRanks& leaders) {
  add(all, in_node, prefixes_in_pairs(in_node));
  if (in_node.self + 1 == in_node.count) all.append({.to = in_node[0], .out = all.all()});
  if (in_node.self == 0) {
    all.append({.from = in_node[in_node.count - 1], .in = all.all()});
    add(all, leaders, prefixes_in_pairs(leaders));
    if (leaders.self + 1 < leaders.count) all.append({.to = leaders[leaders.self + 1], .out = all.all()});
    if (leaders.self > 0) all.append({.from = leaders[leaders.self - 1], .in = all.all()});
  }
  Schedule word = in_node.schedule();
  word.whole();
  const BlockRun no_bytes{.first = all.blocks(), .count = 1, .period = 1};
  const Schedule tree = in_node.by(steps::tree, Operation::bcast);
  for (ScheduleStep step : tree.steps()) {
    (step.out.count != 0 ? step.out : step.in) = no_bytes;
    word.append(step);
  }
  add(all, in_node, word);
  if (leaders.self > 0) add(all, in_node, tree);
}

/// The steps of an operation in which every rank has, or gets, a block.
Schedule of_blocks(Operation operation, const Situation& situation, const SomeRanks& all) {
  if (is_alltoall(operation)) {
    if (operation == Operation::alltoall && situation.bytes > 32768) return pairwise(all, 1);
    return bruck_natively(operation, situation) ? all.by(steps::bruck, operation) : pairwise(all, 32);
  }
  if (is_regular_rooted(operation)) return all.by(steps::tree_of_blocks, operation);
  if (is_allgather(operation))
    return all.by(native_rings(operation, situation.bytes, all.count) ? steps::ring : steps::doubling,
                  operation);
  return situation.bytes < 524288 ? all.by(steps::halving, operation)
                                  : pairwise(all, 1, ScheduleStep::Arrival::meets_contribution);
}

} // namespace

Schedule native_schedule(Operation operation, const Situation& situation, std::size_t rank, bool is_summary) {
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  const auto nodes = static_cast<std::size_t>(situation.nodes);
  const auto on_node = std::min(static_cast<std::size_t>(situation.most_on_node), ranks);
  const std::size_t node = rank / on_node, first = node * on_node;
  const SomeRanks everyone{is_summary, rank, ranks};
  const SomeRanks in_node{is_summary, rank - first, std::min(on_node, ranks - first), first};
  const SomeRanks leaders{is_summary, node, nodes, 0, on_node};
  const bool is_leader = in_node.self == 0;
  Schedule all(rank, ranks);
  all.cut_into(nodes);
  switch (operation) {
  case Operation::bcast:
  case Operation::reduce:
  case Operation::allreduce:
    if (operation != Operation::bcast) add(all, in_node, in_node.by(steps::tree, Operation::reduce));
    if (is_leader) add(all, leaders, between_leaders(operation, situation, leaders));
    if (operation != Operation::reduce) add(all, in_node, in_node.by(steps::tree, Operation::bcast));
    return all;
  case Operation::barrier:
    add(all, in_node, in_node.by(steps::dissemination, operation));
    if (is_leader) add(all, leaders, leaders.by(steps::dissemination, operation));
    add(all, in_node, in_node.by(steps::tree, Operation::bcast));
    return all;
  case Operation::scan:
    if (on_node == 1) return prefixes_in_pairs(everyone);
    append_scan(all, in_node, leaders);
    return all;
  case Operation::exscan:
    return prefixes_in_pairs(everyone);
  default:
    return of_blocks(operation, situation, everyone);
  }
}

} // namespace helper::collective
