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

/// Has the steps from `first` on in the other direction and order.
Schedule& Schedule::reverse(std::size_t first) {
  std::ranges::reverse(std::span(steps_).subspan(first));
  for (ScheduleStep& step : std::span(steps_).subspan(first)) {
    std::swap(step.to, step.from);
    std::swap(step.out, step.in);
  }
  return *this;
}

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
    append({(rank_ + 1) % ranks_,
            {(rank_ + ranks_ - step) % ranks_, 1},
            step == 1,
            (rank_ + ranks_ - 1) % ranks_,
            {(rank_ + 2 * ranks_ - step - 1) % ranks_, 1},
            Arrival::meets_contribution});
  return *this;
}

Schedule& Schedule::allgather_by_ring() {
  for (std::size_t step = 1; step < ranks_; ++step)
    append({.to = (rank_ + 1) % ranks_,
            .out = {(rank_ + ranks_ + 1 - step) % ranks_, 1},
            .from = (rank_ + ranks_ - 1) % ranks_,
            .in = {(rank_ + ranks_ - step) % ranks_, 1}});
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

Schedule& Schedule::reduce_scatter_by_bruck() {
  const std::size_t first = steps_.size();
  allgather_by_bruck();
  reverse(first);
  for (ScheduleStep& step : std::span(steps_).subspan(first)) step.arrival = Arrival::meets_partial;
  return *this;
}

Schedule& Schedule::gather(std::size_t root) {
  const std::size_t first = steps_.size();
  scatter(root);
  return reverse(first);
}

Schedule& Schedule::scatter(std::size_t root) {
  std::ranges::copy(steps_from(root), std::back_inserter(steps_));
  return *this;
}

Schedule& Schedule::scatter_linear(std::size_t root) {
  if (rank_ != root) return append({.from = root, .in = {block_, 1}});
  for (std::size_t step = 1; step < ranks_; ++step) {
    const std::size_t to = (root + step) % ranks_;
    append({.to = to, .out = {to, 1}});
  }
  return *this;
}

Schedule& Schedule::gather_linear(std::size_t root) {
  const std::size_t first = steps_.size();
  scatter_linear(root);
  return reverse(first);
}

/// Appends `step_of(partner)` for each other rank, which is paired with this one in some step of all ranks.
template <class StepOf>
void Schedule::for_each_partner(const StepOf& step_of) {
  for (std::size_t step = 0; step < ranks_; ++step)
    if (const std::size_t peer = partner(step, rank_, ranks_); peer != rank_) append(step_of(peer));
}

Schedule& Schedule::reduce_scatter_by_pairs() {
  for_each_partner([this](std::size_t peer) {
    return ScheduleStep{peer, {peer, 1}, true, peer, {block_, 1}, Arrival::meets_contribution, ranks_ - 1};
  });
  return *this;
}

Schedule& Schedule::allgather_by_pairs(std::size_t at_a_time) {
  for_each_partner([=, this](std::size_t peer) {
    return ScheduleStep{.to = peer,
                        .out = {block_, 1},
                        .from = peer,
                        .in = {peer, 1},
                        .at_a_time = at_a_time == 0 ? ranks_ - 1 : at_a_time};
  });
  return *this;
}

Schedule& Schedule::alltoall_by_pairs(std::size_t at_a_time) {
  for_each_partner([=](std::size_t peer) {
    return ScheduleStep{.to = peer,
                        .out = {peer, 1},
                        .sends_contribution = true,
                        .from = peer,
                        .in = {peer, 1},
                        .at_a_time = at_a_time};
  });
  return *this;
}

Schedule& Schedule::dissemination() {
  for (std::size_t distance = 1; distance < ranks_; distance *= 2)
    append({.to = (rank_ + distance) % ranks_,
            .out = all(),
            .from = (rank_ + ranks_ - distance) % ranks_,
            .in = all()});
  return *this;
}

Schedule& Schedule::bcast_by_tree(std::size_t root) {
  const std::size_t own = (rank_ + ranks_ - root) % ranks_;
  const std::size_t lowest = own == 0 ? std::bit_ceil(ranks_) : own & (~own + 1); // bit
  if (own != 0) append({.from = (root + own - lowest) % ranks_, .in = all()});
  for (std::size_t bit = lowest / 2; bit > 0; bit /= 2)
    if (own + bit < ranks_) append({.to = (root + own + bit) % ranks_, .out = all()});
  return *this;
}

Schedule& Schedule::bcast_by_chain(std::size_t root) {
  const std::size_t own = (rank_ + ranks_ - root) % ranks_;
  if (own != 0) append({.from = (root + own - 1) % ranks_, .in = all()});
  if (own + 1 != ranks_) append({.to = (root + own + 1) % ranks_, .out = all()});
  return *this;
}

// Ranks [low, high) reduce to `holder`, one of them: its half reduces to it, the other half to a holder of
// its own, which then sends what it has to `holder`.
Schedule& Schedule::reduce_by_tree(std::size_t root) {
  const std::size_t first = steps_.size();
  for (std::size_t low = 0, high = ranks_, holder = root; high - low > 1;) {
    const std::size_t middle = low + (high - low) / 2;
    const std::size_t other = holder < middle ? middle : low;
    if (rank_ == holder) {
      append({.from = other, .in = all(), .arrival = Arrival::meets_partial});
    } else if ((rank_ < middle) != (holder < middle)) {
      if (rank_ == other) append({.to = holder, .out = all()});
      holder = other;
    }
    (rank_ < middle ? high : low) = middle;
  }
  std::ranges::reverse(std::span(steps_).subspan(first));
  return *this;
}

Schedule& Schedule::reduce_linear(std::size_t root) {
  if (rank_ != root) return append({.to = root, .out = all(), .sends_contribution = true});
  for (std::size_t step = 1; step < ranks_; ++step)
    append({.from = (root + step) % ranks_, .in = all(), .arrival = Arrival::meets_partial});
  return *this;
}

Schedule& Schedule::allreduce_by_doubling() {
  const std::size_t participants = std::bit_floor(ranks_);
  const std::size_t folded = ranks_ - participants;
  const bool in_pair = rank_ < 2 * folded;
  if (in_pair && rank_ % 2 == 0) {
    append({.to = rank_ + 1, .out = all()});
    return append({.from = rank_ + 1, .in = all()});
  }
  if (in_pair) append({.from = rank_ - 1, .in = all(), .arrival = Arrival::meets_partial});
  const std::size_t position = in_pair ? rank_ / 2 : rank_ - folded;
  for (std::size_t distance = 1; distance < participants; distance *= 2) {
    const std::size_t other = position ^ distance;
    const std::size_t peer = other < folded ? 2 * other + 1 : other + folded;
    append({peer, all(), false, peer, all(), Arrival::meets_partial});
  }
  if (in_pair) append({.to = rank_ - 1, .out = all()});
  return *this;
}

/// Appends the steps of a scan of the ranks from `first` on. The others take no part.
void Schedule::prefixes(std::size_t first) {
  if (rank_ < first) return;
  for (std::size_t distance = 1; distance < ranks_ - first; distance *= 2) {
    ScheduleStep step{.arrival = Arrival::meets_partial};
    if (rank_ + distance < ranks_) step.to = rank_ + distance, step.out = all();
    if (rank_ >= first + distance) step.from = rank_ - distance, step.in = all();
    append(step);
  }
}

Schedule& Schedule::scan_by_doubling() {
  prefixes(0);
  return *this;
}

Schedule& Schedule::exscan_by_doubling() {
  ScheduleStep up;
  if (rank_ + 1 < ranks_) up.to = rank_ + 1, up.out = all();
  if (rank_ > 0) up.from = rank_ - 1, up.in = all();
  append(up);
  prefixes(1);
  return *this;
}

Schedule& Schedule::scan_by_chain() {
  if (rank_ == 0) copied_ = all();
  if (rank_ > 0) append({.from = rank_ - 1, .in = all(), .arrival = Arrival::meets_contribution});
  if (rank_ + 1 < ranks_) append({.to = rank_ + 1, .out = all(), .sends_contribution = rank_ == 0});
  return *this;
}

Schedule& Schedule::exscan_by_chain() {
  scan_by_chain();
  copied_ = {};
  if (rank_ + 1 == ranks_ && rank_ > 0) steps_.back().arrival = Arrival::stored;
  return *this;
}

/// Returns the runs that a run of `blocks` blocks in a circle is, where block 0 is number `first`.
static std::vector<BlockRun> parts_of(const BlockRun& run, std::size_t blocks, std::size_t first) {
  std::vector<BlockRun> parts;
  run.for_each_part(blocks, [&](std::size_t begin, std::size_t end) {
    if (begin != end) parts.push_back({first + begin, end - begin});
  });
  return parts;
}

Schedule& Schedule::allreduce_two_level(std::size_t on_node) {
  const std::size_t node = rank_ / on_node, nodes = ranks_ / on_node, first = node * on_node;
  const auto within = [&](bool reduces) {
    for (std::size_t step = 0; step < on_node; ++step) {
      const std::size_t index = rank_ - first, peer = partner(step, index, on_node);
      const BlockRun theirs{peer * nodes, nodes}, own{index * nodes, nodes};
      if (peer == index) continue;
      append({first + peer, reduces ? theirs : own, reduces, first + peer, reduces ? own : theirs,
              reduces ? Arrival::meets_contribution : Arrival::stored, on_node - 1});
    }
  };
  within(true);
  Schedule between(node, nodes);
  between.reduce_scatter_by_halving().allgather_by_doubling();
  for (ScheduleStep step : between.steps()) { // of blocks of a share, in a circle of their own
    step.to = step.to * on_node + (rank_ - first);
    step.from = step.from * on_node + (rank_ - first);
    const std::vector<BlockRun> out = parts_of(step.out, nodes, (rank_ - first) * nodes);
    const std::vector<BlockRun> in = parts_of(step.in, nodes, (rank_ - first) * nodes);
    for (std::size_t part = 0; part < std::max(out.size(), in.size()); ++part) {
      step.out = part < out.size() ? out[part] : BlockRun{};
      step.in = part < in.size() ? in[part] : BlockRun{};
      append(step);
    }
  }
  within(false);
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
