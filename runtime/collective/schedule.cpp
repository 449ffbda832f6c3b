// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/schedule.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace helper::collective {

namespace {

using Arrival = ScheduleStep::Arrival;

std::size_t half(std::size_t of) noexcept {
  return (of + 1) / 2;
}

} // namespace

/// Returns how many of `had` blocks a rank keeps when it halves them. As long as it has several blocks of
/// each node it keeps as many of each, and the others go to a rank of its own node. A circulant graph may
/// have any such numbers: no rank is given more than it keeps.
std::size_t Schedule::kept(std::size_t had) const noexcept {
  return had > nodes_ ? nodes_ * half(had / nodes_) : half(had);
}

/// These are the two ranks that a rank exchanges with when each is to have `kept` blocks of its own.
struct Schedule::Neighbours {
  Neighbours(std::size_t rank, std::size_t ranks, std::size_t kept) noexcept {
    if (std::has_single_bit(ranks)) {
      next = previous = rank ^ kept;
      own = rank & ~(kept - 1);
      of_next = own ^ kept;
    } else {
      next = of_next = (rank + kept) % ranks;
      previous = (rank + ranks - kept) % ranks;
      own = rank;
    }
  }

  std::size_t next, previous; // what the rank does not keep goes to the former
  std::size_t own, of_next;   // where the runs of blocks begin that this rank and the next one keep
};

Schedule& Schedule::reduce_scatter_by_halving() {
  for (std::size_t had = ranks_; had > 1; had = kept(had)) {
    const std::size_t given = had - kept(had);
    const Neighbours at(rank_, ranks_, kept(had));
    const bool is_first = had == ranks_;
    if (is_first) copied_ = {(at.own + given) % ranks_, kept(had) - given};
    steps_.push_back({at.next,
                      {at.of_next, given},
                      is_first,
                      at.previous,
                      {at.own, given},
                      is_first ? Arrival::meets_contribution : Arrival::meets_partial});
  }
  return *this;
}

Schedule& Schedule::allgather_by_doubling() {
  const auto first = static_cast<std::ptrdiff_t>(steps_.size());
  for (std::size_t had = ranks_; had > 1; had = kept(had)) {
    const std::size_t given = had - kept(had);
    const Neighbours at(rank_, ranks_, kept(had));
    steps_.push_back({at.previous, {at.own, given}, false, at.next, {at.of_next, given}, Arrival::stored});
  }
  std::reverse(steps_.begin() + first, steps_.end());
  return *this;
}

Schedule& Schedule::reduce_scatter_by_ring() {
  for (std::size_t step = 1; step < ranks_; ++step)
    steps_.push_back({(rank_ + 1) % ranks_,
                      {(rank_ + ranks_ - step) % ranks_, 1},
                      step == 1,
                      (rank_ + ranks_ - 1) % ranks_,
                      {(rank_ + 2 * ranks_ - step - 1) % ranks_, 1},
                      Arrival::meets_contribution});
  return *this;
}

Schedule& Schedule::allgather_by_ring() {
  for (std::size_t step = 1; step < ranks_; ++step)
    steps_.push_back({(rank_ + 1) % ranks_,
                      {(rank_ + ranks_ + 1 - step) % ranks_, 1},
                      false,
                      (rank_ + ranks_ - 1) % ranks_,
                      {(rank_ + ranks_ - step) % ranks_, 1},
                      Arrival::stored});
  return *this;
}

Schedule& Schedule::allgather_by_bruck() {
  const auto first = static_cast<std::ptrdiff_t>(steps_.size());
  for (std::size_t had = ranks_; had > 1; had = kept(had)) {
    const std::size_t keeps = kept(had), given = had - keeps;
    steps_.push_back({(rank_ + ranks_ - keeps) % ranks_,
                      {0, given},
                      false,
                      (rank_ + keeps) % ranks_,
                      {keeps, given},
                      Arrival::stored});
  }
  std::reverse(steps_.begin() + first, steps_.end());
  return *this;
}

Schedule& Schedule::alltoall_by_bruck() {
  for (std::size_t bit = 1; bit < ranks_; bit *= 2) { // a block goes as far as its number says
    const BlockRun with_bit{bit, bit, 2 * bit};
    steps_.push_back({(rank_ + bit) % ranks_, with_bit, false, (rank_ + ranks_ - bit) % ranks_, with_bit,
                      Arrival::stored});
  }
  return *this;
}

/// Returns the steps down the tree from `root`. The first of a run of ranks, which are counted from the root
/// on, has the blocks of all of them, and gives those that it does not keep to the first of their ranks.
std::vector<ScheduleStep> Schedule::steps_from(std::size_t root) const {
  std::vector<ScheduleStep> steps;
  const std::size_t own = (rank_ + ranks_ - root) % ranks_;
  std::size_t first = 0; // of the run that the own rank is in
  for (std::size_t had = ranks_; had > 1;) {
    const std::size_t second = first + kept(had);
    const BlockRun given{(root + second) % ranks_, first + had - second};
    if (own == first) steps.push_back({.to = given.first, .out = given});
    if (own == second) steps.push_back({.from = (root + first) % ranks_, .in = given});
    had = own < second ? second - first : given.count;
    if (own >= second) first = second;
  }
  return steps;
}

Schedule& Schedule::gather(std::size_t root) {
  std::vector<ScheduleStep> steps = steps_from(root);
  std::ranges::reverse(steps);
  for (ScheduleStep& step : steps) {
    std::swap(step.to, step.from);
    std::swap(step.out, step.in);
  }
  std::ranges::copy(steps, std::back_inserter(steps_));
  return *this;
}

Schedule& Schedule::scatter(std::size_t root) {
  std::ranges::copy(steps_from(root), std::back_inserter(steps_));
  return *this;
}

Schedule& Schedule::without_messages_to(std::size_t root) {
  for (ScheduleStep& step : steps_) {
    if (step.to == root) step.out = {};
    if (rank_ == root) step.in = {};
  }
  return *this;
}

} // namespace helper::collective
