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

/// Returns how many of `had` blocks a rank keeps when it halves them.
std::size_t half(std::size_t had) noexcept {
  return (had + 1) / 2;
}

} // namespace

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
  for (std::size_t had = ranks_; had > 1; had = half(had)) {
    const std::size_t given = had - half(had);
    const Neighbours at(rank_, ranks_, half(had));
    const bool is_first = had == ranks_;
    if (is_first) copied_ = {(at.own + given) % ranks_, half(had) - given};
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
  for (std::size_t had = ranks_; had > 1; had = half(had)) {
    const std::size_t given = had - half(had);
    const Neighbours at(rank_, ranks_, half(had));
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
  for (std::size_t had = 1; had < ranks_; had *= 2) {
    const std::size_t given = std::min(had, ranks_ - had);
    steps_.push_back({(rank_ + ranks_ - had) % ranks_,
                      {0, given},
                      false,
                      (rank_ + had) % ranks_,
                      {had, given},
                      Arrival::stored});
  }
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

/// Returns the steps along the tree to `root`. A rank is root of the subtree of as many ranks from itself on
/// as its lowest bit says, if ranks are counted from the root on.
std::vector<ScheduleStep> Schedule::steps_to(std::size_t root) const {
  std::vector<ScheduleStep> steps;
  const std::size_t relative = (rank_ + ranks_ - root) % ranks_;
  for (std::size_t bit = 1; bit < ranks_; bit *= 2) {
    if ((relative & bit) != 0) {
      steps.push_back(
          {.to = (rank_ + ranks_ - bit) % ranks_, .out = {rank_, std::min(bit, ranks_ - relative)}});
      break;
    }
    if (relative + bit >= ranks_) continue;
    const std::size_t child = (rank_ + bit) % ranks_;
    steps.push_back({.from = child, .in = {child, std::min(bit, ranks_ - relative - bit)}});
  }
  return steps;
}

Schedule& Schedule::gather(std::size_t root) {
  std::ranges::copy(steps_to(root), std::back_inserter(steps_));
  return *this;
}

Schedule& Schedule::scatter(std::size_t root) {
  std::vector<ScheduleStep> steps = steps_to(root);
  std::ranges::reverse(steps);
  for (ScheduleStep& step : steps) {
    std::swap(step.to, step.from);
    std::swap(step.out, step.in);
  }
  std::ranges::copy(steps, std::back_inserter(steps_));
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
