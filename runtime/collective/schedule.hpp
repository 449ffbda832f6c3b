// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// The messages of algorithms. A schedule is data: it knows neither MPI nor the elements. The library runs
/// it; the cost model and the simulator of bench/model read it.
namespace helper::collective {

/// A run of consecutive blocks. They are circular: the first follows the last.
struct BlockRun {
  std::size_t first = 0;
  std::size_t count = 0;
  /// Unless this is 0, the run repeats at this distance, up to the last block, in one message.
  std::size_t period = 0;
  /// Unless this is 0, the blocks form circles of this many, and the run stays in one of them.
  std::size_t circle = 0;
  friend bool operator==(const BlockRun&, const BlockRun&) = default;

  /// Returns how many blocks the run has if there are `blocks` in total.
  std::size_t size(std::size_t blocks) const noexcept {
    if (period == 0) return count;
    const std::size_t rest = blocks - std::min(first, blocks);
    return rest / period * count + std::min(rest % period, count);
  }
  /// Returns the end of the circle that the run is in. By default it is the circle of all `blocks` blocks.
  std::size_t end_of_circle(std::size_t blocks) const noexcept {
    return circle == 0 ? blocks : (first / circle + 1) * circle;
  }
  /// Returns whether the run goes round the end, so that it takes two messages.
  bool is_round_the_end(std::size_t blocks) const noexcept {
    return period == 0 && first + count > end_of_circle(blocks);
  }
  /// Calls `visit(begin, end)` for the parts of the run among `blocks` blocks.
  template <class Visit>
  void for_each_part(std::size_t blocks, const Visit& visit) const {
    if (period != 0) {
      for (std::size_t at = first; at < blocks; at += period) visit(at, std::min(at + count, blocks));
      return;
    }
    const std::size_t end = end_of_circle(blocks), all = circle == 0 ? blocks : circle;
    visit(first, std::min(first + count, end));
    if (first + count > end) visit(end - all, first + count - all);
  }
};

/// A rank sends a run of blocks to one rank and receives a run from another; runs may be empty.
struct ScheduleStep {
  /// Blocks that arrive are stored, or reduced with the rank's contribution, or with its partial result.
  enum class Arrival : std::uint8_t { stored, meets_contribution, meets_partial };

  std::size_t to = 0;
  BlockRun out{};
  bool sends_contribution = false; ///< sends the rank's contribution, not its partial result
  std::size_t from = 0;
  BlockRun in{};
  Arrival arrival = Arrival::stored;
  std::size_t at_a_time = 1; ///< how many adjacent steps with this value start together

  // In a summary one step stands for `times` steps. From each to the next, `to` and `from` grow by these
  // numbers, modulo the number of ranks.
  std::size_t times = 1;
  std::size_t to_moves = 0, from_moves = 0;
};

/// The steps of one rank. There are as many blocks as ranks, unless cut_into() changes that, and all ranks
/// know their sizes. Messages between two ranks have the same order at both. The order of reductions depends
/// only on the numbers of ranks and nodes.
class Schedule {
public:
  /// Returns the rank with which `rank` exchanges in step `step` of `ranks`, if each exchanges with every
  /// other. Partners are mutual; in one step the partner is the rank itself.
  static std::size_t partner(std::size_t step, std::size_t rank, std::size_t ranks) noexcept {
    return step >= rank ? step - rank : step + ranks - rank;
  }

  /// `nodes` lets algorithms such as halving move most data within nodes. It divides the number of ranks;
  /// ranks whose difference is a multiple of it are on the same node.
  Schedule(std::size_t rank, std::size_t ranks, std::size_t nodes = 1)
      : rank_(rank), block_(rank), ranks_(ranks), nodes_(nodes) {
    steps_.reserve(2 * static_cast<std::size_t>(std::bit_width(ranks))); // few have more
  }
  Schedule(Schedule&&) noexcept = default; // no copies: groups_ refers to steps_
  Schedule& operator=(Schedule&&) noexcept = default;

  /// Lets append_run() append a summary, for predictions: one step stands for all steps of a run, which
  /// differ only in their ranks and blocks. It has the blocks of the first step.
  Schedule& summary(bool is_summary = true) {
    is_summary_ = is_summary;
    return *this;
  }
  bool is_summary() const noexcept { return is_summary_; }

  /// Changes the number of blocks, possibly to a single one, before there are any steps.
  Schedule& cut_into(std::size_t blocks) {
    blocks_ = blocks;
    return *this;
  }
  Schedule& whole() {
    block_ = 0;
    return cut_into(1);
  }

  /// Sets how many steps start together.
  Schedule& at_a_time(std::size_t steps) {
    for (ScheduleStep& step : steps_) step.at_a_time = steps;
    return *this;
  }

  /// Appends a step made by the caller, whose `to` and `from` are ranks.
  Schedule& append(const ScheduleStep& step) {
    steps_.push_back(step);
    return *this;
  }
  /// Appends a run of steps: step_of(0), step_of(1)...
  template <class StepOf>
  Schedule& append_run(std::size_t steps, const StepOf& step_of) {
    if (!is_summary_ || steps == 0) {
      for (std::size_t step = 0; step < steps; ++step) append(step_of(step));
      return *this;
    }
    ScheduleStep all = step_of(0);
    const ScheduleStep next = step_of(1);
    all.times = steps;
    all.to_moves = (next.to + ranks_ - all.to) % ranks_;
    all.from_moves = (next.from + ranks_ - all.from) % ranks_;
    return append(all);
  }
  BlockRun all() const noexcept { return {0, blocks_}; }

  /// Returns how many of `had` blocks a rank keeps when it halves them, rounded up. While it has several
  /// blocks of each node, it halves the blocks of each, so that the others go to a rank of its own node.
  std::size_t kept(std::size_t had) const noexcept {
    const auto half = [](std::size_t of) { return (of + 1) / 2; };
    return had > nodes_ ? nodes_ * half(had / nodes_) : half(had);
  }
  /// Reverses the direction and the order of the steps from `first` on.
  void reverse(std::size_t first) {
    std::ranges::reverse(steps().subspan(first));
    for (ScheduleStep& step : steps().subspan(first)) {
      step.to = (step.to + (step.times - 1) * step.to_moves) % ranks_;
      step.from = (step.from + (step.times - 1) * step.from_moves) % ranks_;
      step.to_moves = (ranks_ - step.to_moves) % ranks_;
      step.from_moves = (ranks_ - step.from_moves) % ranks_;
      std::swap(step.to, step.from);
      std::swap(step.to_moves, step.from_moves);
      std::swap(step.out, step.in);
    }
  }
  /// Sets the blocks of the rank's contribution that are copied to its partial result before the first step.
  void begin_with(const BlockRun& blocks) { copied_ = blocks; }

  /// Replaces each rank r in the steps by `rank_of(r)`. Call it after all steps have been appended.
  template <class RankOf>
  Schedule& among(const RankOf& rank_of) {
    rank_ = static_cast<std::size_t>(rank_of(rank_));
    for (ScheduleStep& step : steps_) {
      step.to = static_cast<std::size_t>(rank_of(step.to));
      step.from = static_cast<std::size_t>(rank_of(step.from));
    }
    return *this;
  }

  /// Returns the groups of steps that start together, as parts of steps(). Adjacent steps that only send are
  /// one group. Either all blocks that arrive in a group are stored, or all are reduced with the same blocks
  /// of this rank, in the order of ranks. Nothing is appended after the first call.
  std::span<const std::span<const ScheduleStep>> groups() const {
    if (groups_.empty()) groups_ = find_groups(); // which may lack memory
    return groups_;
  }
  /// Returns whether the rank makes results of its own block only, and sends contributions block by block.
  bool makes_own_block_only() const {
    const BlockRun own{block_, 1};
    return copied_.count == 0 && std::ranges::all_of(steps_, [&](const ScheduleStep& step) {
             const bool sends_block = step.sends_contribution && step.out == BlockRun{step.out.first, 1};
             return (step.in.count == 0 || step.in == own) &&
                    (step.out.count == 0 || step.out == own || sends_block);
           });
  }

  std::span<const ScheduleStep> steps() const noexcept { return steps_; }
  std::span<ScheduleStep> steps() noexcept { return steps_; }
  /// Returns what begin_with() has been given.
  const BlockRun& copied() const noexcept { return copied_; }
  std::size_t rank() const noexcept { return rank_; }
  std::size_t block() const noexcept { return block_; }
  std::size_t ranks() const noexcept { return ranks_; }
  std::size_t nodes() const noexcept { return nodes_; }
  std::size_t blocks() const noexcept { return blocks_; }

private:
  std::vector<std::span<const ScheduleStep>> find_groups() const {
    std::vector<std::span<const ScheduleStep>> all;
    for (const ScheduleStep& step : steps_) {
      const std::span<const ScheduleStep> last = all.empty() ? steps().first(0) : all.back();
      const bool only_sends = !last.empty() && last.back().in.count == 0 && step.in.count == 0;
      const bool has_room = !last.empty() && last.size() < last.front().at_a_time;
      if (only_sends || (has_room && step.at_a_time == last.front().at_a_time))
        all.back() = {last.data(), last.size() + 1};
      else
        all.emplace_back(&step, std::size_t{1});
    }
    return all;
  }

  std::size_t rank_;
  std::size_t block_;
  std::size_t ranks_;
  std::size_t blocks_ = ranks_;
  std::size_t nodes_;
  bool is_summary_ = false;
  BlockRun copied_{};
  std::vector<ScheduleStep> steps_;
  mutable std::vector<std::span<const ScheduleStep>> groups_; // of steps_; empty until groups() is called
};

} // namespace helper::collective
