// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/shrinking.hpp"

#include <algorithm>

namespace helper::groups::tree {

namespace {

/// Returns up to `most` fillers from the branches of a vertex, in the order of their use. Each comes from the
/// branch that has the most vertices left, so that the tree stays balanced.
std::vector<FillerCandidate> elimination_order(const std::vector<Branch>& branches, std::size_t most) {
  std::vector<std::size_t> taken(branches.size());
  std::vector<FillerCandidate> order;
  const auto left = [&](std::size_t branch) {
    return branches[branch].size - static_cast<Rank>(taken[branch]);
  };
  while (order.size() < most) {
    std::size_t largest = branches.size();
    for (std::size_t i = 0; i < branches.size(); ++i)
      if (taken[i] < branches[i].fillers.size() && (largest == branches.size() || left(i) > left(largest)))
        largest = i;
    if (largest == branches.size()) break;
    order.push_back(branches[largest].fillers[taken[largest]++]);
  }
  return order;
}

void put_report(EnrolmentMessage& message, const Branch& branch) {
  message.put({branch.root.id, branch.root.sent, branch.size});
  message.put_pairs(branch.fillers);
}

} // namespace

Branch get_report(MessageReader& reader) {
  return {.root = {reader.get(), reader.get()},
          .size = reader.get(),
          .fillers = reader.get_pairs<FillerCandidate>()};
}

std::size_t heap_bytes_of(const std::vector<Branch>& branches) {
  std::size_t bytes = heap_bytes(branches);
  for (const Branch& branch : branches)
    bytes += heap_bytes(branch.fillers) + heap_bytes(branch.victims) + heap_bytes(branch.orders);
  return bytes;
}

void Shrinking::begin() {
  if (reports_.complete()) report();
}

void Shrinking::handle(Id from, const EnrolmentMessage& message) {
  switch (message.kind()) {
  case EnrolmentMessage::EnrolmentKind::report: {
    MessageReader reader(message);
    reports_.add(place(), from, get_report(reader));
    if (reports_.complete()) report();
    return;
  }
  case EnrolmentMessage::EnrolmentKind::relocation:
    be_relocated(message);
    return follow();
  case EnrolmentMessage::EnrolmentKind::descent:
  case EnrolmentMessage::EnrolmentKind::order:
    waiting_.emplace_back(from, message);
    return follow();
  default:
    handle_other(message);
  }
}

/// Sends the report first: all vertices above wait for it, but only the filler waits for the relocation.
void Shrinking::report() {
  auto below = reports_.take();
  Rank size = participates() ? 1 : 0;
  for (const Branch& branch : below) size += branch.size;
  const bool to_fill = !participates() && size > 0 && filler_ != Scheme::Filler::none;
  Branch mine = to_fill ? filled(below, size) : unfilled(below, size);
  if (!to_fill) branches_ = std::move(below);
  set_reported();
  if (is_root()) {
    if (size > 0) send_down(mine);
  } else {
    EnrolmentMessage message(EnrolmentMessage::EnrolmentKind::report, {});
    put_report(message, mine);
    send(place().parent, std::move(message));
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): `below` was moved only if to_fill is false
  if (to_fill) relocate(mine.root.id, below);
}

/// Runs at the parent group's root. Starts the way down with the first descent, to the root of `all`.
void Shrinking::send_down(Branch& all) {
  EnrolmentMessage message = first_descent(all);
  if (all.root.id != place().id) return send(all.root.id, std::move(message));
  waiting_.emplace_back(nobody, std::move(message));
  follow();
}

/// Returns this vertex's subtree with the vertex itself as root.
Branch Shrinking::unfilled(const std::vector<Branch>& below, Rank size) const {
  Branch mine{{place().id, 0}, size};
  if (participates() && filler_ == Scheme::Filler::leaf) {
    const std::size_t most = most_fillers();
    mine.fillers = elimination_order(below, most);
    if (mine.fillers.size() < most) mine.fillers.push_back(mine.root);
  }
  return mine;
}

/// Returns this vertex's subtree with a filler as its root. Leaves in `below` what the filler gets.
Branch Shrinking::filled(std::vector<Branch>& below, Rank size) const {
  std::erase_if(below, [](const Branch& branch) { return branch.size == 0; });
  if (filler_ == Scheme::Filler::child) {
    // The root of the smallest subtree probably has the fewest children; it gets its siblings as well.
    const auto child = std::ranges::min_element(below, {}, &Branch::size);
    const FillerCandidate filler = child->root;
    below.erase(child);
    return {{filler.id, filler.sent + 1}, size};
  }
  const std::size_t most = most_fillers();
  const auto order = elimination_order(below, most + 1);
  Branch mine{{order.front().id, order.front().sent + 1}, size};
  mine.fillers.assign(order.begin() + 1, order.end());
  if (mine.fillers.size() < most) mine.fillers.push_back(mine.root);
  return mine;
}

void Shrinking::relocate(Id filler, const std::vector<Branch>& below) {
  EnrolmentMessage message(EnrolmentMessage::EnrolmentKind::relocation,
                           {place().depth, static_cast<std::int32_t>(below.size())});
  for (const Branch& branch : below) put_report(message, branch);
  send(filler, std::move(message));
}

void Shrinking::be_relocated(const EnrolmentMessage& message) {
  ++received_;
  MessageReader reader(message);
  const auto level = reader.get();
  if (filler_ == Scheme::Filler::leaf) {
    if (level > level_) return; // this vertex has been told to fill a higher hole
    branches_.clear();
  }
  level_ = std::min(level_, level);
  for (auto count = reader.get(); count > 0; --count) {
    branches_.push_back(get_report(reader));
    branches_.back().level = level;
  }
}

/// Handles the messages from above whose turn has come.
void Shrinking::follow() {
  const auto is_next = [&](const auto& control) { return MessageReader(control.second).get() == received_; };
  for (auto next = std::ranges::find_if(waiting_, is_next); next != waiting_.end();
       next = std::ranges::find_if(waiting_, is_next)) {
    const auto [from, message] = std::move(*next);
    waiting_.erase(next);
    MessageReader reader(message);
    reader.get();
    const auto victims = reader.get_words();
    if (!settled_) settle(victims);
    if (message.kind() == EnrolmentMessage::EnrolmentKind::descent)
      descend(from, reader);
    else {
      ++received_;
      obey(reader);
    }
  }
}

/// Removes from the branches the vertices that now fill holes. Then forgets all filler candidates.
void Shrinking::settle(std::span<const Id> victims) {
  settled_ = true;
  // Sorts as in the parent group's tree: relocations may have arrived in any order.
  std::ranges::stable_sort(branches_, std::ranges::greater{}, &Branch::level);
  const auto take_out = [&](Id victim) {
    for (Branch& branch : branches_) {
      if (!std::ranges::count(branch.fillers, victim, &FillerCandidate::id)) continue;
      --branch.size;
      branch.victims.push_back(victim);
    }
  };
  if (filler_ == Scheme::Filler::leaf) take_out(place().id);
  std::ranges::for_each(victims, take_out);
  std::erase_if(branches_, [](const Branch& branch) { return branch.size == 0; });
  for (Branch& branch : branches_) branch.fillers = {};
}

EnrolmentMessage Shrinking::controlling(EnrolmentMessage::EnrolmentKind kind, Branch& branch,
                                        std::initializer_list<std::int32_t> words) {
  EnrolmentMessage message(kind, {branch.root.sent});
  message.put(branch.victims);
  branch.victims = {};
  message.put(words);
  return message;
}

std::size_t Shrinking::heap() const {
  std::size_t bytes = heap_bytes_of(reports_.reports()) + heap_bytes_of(branches_) + heap_bytes(waiting_);
  for (const auto& [from, message] : waiting_) bytes += message.bytes();
  return bytes;
}

} // namespace helper::groups::tree
