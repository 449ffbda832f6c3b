// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// This says which messages algorithms consist of. A schedule is data: it knows neither MPI nor the elements.
/// The library runs it, the model of costs and the simulator of bench/model read it.
namespace helper::collective {

/// This is a run of consecutive blocks. They are in a circle: behind the last one comes the first.
struct BlockRun {
  std::size_t first = 0;
  std::size_t count = 0;
  /// Unless this is 0, there are such runs every so many blocks, up to the last block, in one message.
  std::size_t period = 0;
  friend bool operator==(const BlockRun&, const BlockRun&) = default;

  /// Calls `visit(begin, end)` for the runs that these are of `blocks` blocks.
  template <class Visit>
  void for_each_part(std::size_t blocks, const Visit& visit) const {
    if (period != 0) {
      for (std::size_t at = first; at < blocks; at += period) visit(at, std::min(at + count, blocks));
      return;
    }
    visit(first, std::min(first + count, blocks));
    if (first + count > blocks) visit(std::size_t{0}, first + count - blocks);
  }
};

/// This is what a rank does in a step: it sends a run of blocks to one rank, and takes a run from another.
/// Where a run has no blocks there is no message.
struct ScheduleStep {
  /// This says what becomes of the blocks that come: they are stored; they are reduced with what the rank has
  /// contributed; or with what has come of that in earlier steps.
  enum class Arrival : std::uint8_t { stored, meets_contribution, meets_partial };

  std::size_t to = 0;
  BlockRun out{};
  bool sends_contribution = false; ///< what the rank has contributed, and not what has come of it
  std::size_t from = 0;
  BlockRun in{};
  Arrival arrival = Arrival::stored;
  std::size_t at_a_time = 1; ///< in predictions, this many such steps, side by side, are under way together
};

/// This holds the steps of one of `ranks` ranks in an operation on as many blocks as there are ranks, of any
/// sizes that all ranks know, or on a single one. Every message is in the same order, among those between two
/// ranks, at both. Reductions combine in an order that depends on the numbers of ranks and of nodes alone.
class Schedule {
public:
  /// Returns the rank that `rank` exchanges with in step `step` of `ranks`, where each does with every other:
  /// it has the same partner, and in one step itself.
  static std::size_t partner(std::size_t step, std::size_t rank, std::size_t ranks) noexcept {
    return step >= rank ? step - rank : step + ranks - rank;
  }

  /// Where halving and doubling are to move most within nodes, ranks that differ by multiples of `nodes`, by
  /// which the number of ranks can be divided, are on the same one.
  Schedule(std::size_t rank, std::size_t ranks, std::size_t nodes = 1)
      : rank_(rank), block_(rank), ranks_(ranks), nodes_(nodes) {
    steps_.reserve(2 * static_cast<std::size_t>(std::bit_width(ranks))); // few have more
  }

  /// Makes the operation one on so many blocks, or on a single one, before there are any steps.
  Schedule& cut_into(std::size_t blocks) {
    blocks_ = blocks;
    return *this;
  }
  Schedule& whole() { return cut_into(1); }
  // Each of these appends steps, and returns the schedule. The next ones reduce in any order, unless there
  // are two ranks.

  /// Reduces block r at rank r, in ceil(log2(ranks / nodes)) steps within nodes and then ceil(log2(nodes))
  /// between them, in which a rank sends as many blocks as there are other ranks, and as there are other
  /// nodes between them. Where the ranks are a power of two this is recursive halving; elsewhere ranks have
  /// their neighbours in a circulant graph, so that none need be folded (J. L. Träff, "Optimal, Non-pipelined
  /// Reduce-scatter and Allreduce Algorithms", 2024).
  Schedule& reduce_scatter_by_halving();
  /// Does the same from neighbour to neighbour, in ranks - 1 steps of one block.
  Schedule& reduce_scatter_by_ring();

  /// Gives all ranks block r of each rank r, in the steps of reduce_scatter_by_halving(), in the other
  /// direction and order.
  Schedule& allgather_by_doubling();
  /// Does the same from neighbour to neighbour, in ranks - 1 steps of one block.
  Schedule& allgather_by_ring();
  /// Does the same in as many steps, of a single message each, where blocks are numbered from the own rank
  /// on: block i is that of i ranks behind it (J. Bruck et al., "Efficient algorithms for all-to-all
  /// communications in multiport message-passing systems", 1997).
  Schedule& allgather_by_bruck();

  /// Gives each rank a block of every other, in ceil(log2(ranks)) steps of a single message each, of about
  /// half of the blocks (the same paper). At first block i is for the rank that is i behind the own one; in
  /// the end it is from the rank that is i before it.
  Schedule& alltoall_by_bruck();

  /// Reduces at each rank r block r, in as many steps, where blocks are numbered from the own rank on: those
  /// of allgather_by_bruck() in the other direction and order.
  Schedule& reduce_scatter_by_bruck();

  /// Gives `root` block r of each rank r, along a binomial tree, whose subtrees are halves.
  Schedule& gather(std::size_t root);
  /// Gives each rank r block r of `root`, along the same tree.
  Schedule& scatter(std::size_t root);
  /// These do the same by messages between `root` and every other rank.
  Schedule& gather_linear(std::size_t root);
  Schedule& scatter_linear(std::size_t root);

  // By messages between all pairs of ranks:

  /// Reduces block r at rank r, in the order of ranks.
  Schedule& reduce_scatter_by_pairs();
  /// Gives all ranks block r of each rank r, `at_a_time` at a time; 0: all.
  Schedule& allgather_by_pairs(std::size_t at_a_time = 0);
  /// Gives each rank a block of every other.
  Schedule& alltoall_by_pairs(std::size_t at_a_time);

  // All blocks go with each message of these. They reduce in the order of ranks.

  /// Sends to the rank that is 1, 2, 4... ahead, round the end, so that each has heard from all.
  Schedule& dissemination();
  /// Broadcasts from `root` down a binomial tree, to the largest subtree first, or from rank to rank.
  Schedule& bcast_by_tree(std::size_t root);
  Schedule& bcast_by_chain(std::size_t root);
  /// Gives `root` the result, the same for every root, along a tree whose subtrees are halves of the ranks,
  /// or by messages from all ranks.
  Schedule& reduce_by_tree(std::size_t root);
  Schedule& reduce_linear(std::size_t root);
  /// Gives all ranks the result, with the same bits, in ceil(log2(ranks)) exchanges, plus two messages where
  /// the ranks are no power of two: then the first ones pair up, so that a power of two takes part.
  Schedule& allreduce_by_doubling();
  /// Gives every rank the result of the ranks up to itself, in ceil(log2(ranks)) exchanges; without the own
  /// contribution, for which these move up by a rank first.
  Schedule& scan_by_doubling();
  Schedule& exscan_by_doubling();
  /// Gives every rank what the ranks before it have come to, and passes on what becomes of that here. The
  /// last rank of an exscan reduces nothing.
  Schedule& scan_by_chain();
  Schedule& exscan_by_chain();

  /// Reduces within nodes, of `on_node` consecutive ranks each, whose ranks own shares, then between the
  /// owners of a share, and gives all ranks of a node the result.
  Schedule& allreduce_two_level(std::size_t on_node);

  /// Says how many steps are under way at a time.
  Schedule& at_a_time(std::size_t steps) {
    for (ScheduleStep& step : steps_) step.at_a_time = steps;
    return *this;
  }

  /// Appends a step of the caller's, whose `to` and `from` are ranks.
  Schedule& append(const ScheduleStep& step) {
    steps_.push_back(step);
    return *this;
  }
  /// Returns all blocks.
  BlockRun all() const noexcept { return {0, blocks_}; }

  /// Takes messages to `root`, which has all blocks, out of all steps.
  Schedule& without_messages_to(std::size_t root);

  /// Has the steps say `rank_of(r)` in place of each rank r. Nothing is appended any more.
  template <class RankOf>
  Schedule& among(const RankOf& rank_of) {
    rank_ = static_cast<std::size_t>(rank_of(rank_));
    for (ScheduleStep& step : steps_) {
      step.to = static_cast<std::size_t>(rank_of(step.to));
      step.from = static_cast<std::size_t>(rank_of(step.from));
    }
    return *this;
  }

  std::span<const ScheduleStep> steps() const noexcept { return steps_; }
  /// Returns those blocks that the rank has contributed and that are to be among what has come of them when
  /// the first step begins.
  BlockRun copied() const noexcept { return copied_; }
  std::size_t rank() const noexcept { return rank_; }
  /// Returns the rank's own block.
  std::size_t block() const noexcept { return block_; }
  std::size_t ranks() const noexcept { return ranks_; }
  std::size_t nodes() const noexcept { return nodes_; }
  std::size_t blocks() const noexcept { return blocks_; }

private:
  struct Neighbours;
  std::size_t kept(std::size_t had) const noexcept;
  std::vector<ScheduleStep> steps_from(std::size_t root) const;
  Schedule& reverse(std::size_t first);
  void prefixes(std::size_t first);
  template <class StepOf>
  void for_each_partner(const StepOf& step_of);

  std::size_t rank_;
  std::size_t block_;
  std::size_t ranks_;
  std::size_t blocks_ = ranks_;
  std::size_t nodes_;
  BlockRun copied_{};
  std::vector<ScheduleStep> steps_;
};

} // namespace helper::collective
