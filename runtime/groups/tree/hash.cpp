// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/shrinking.hpp"

namespace helper::groups::tree {

namespace {

/// Shrink-and-Hash, section VI: ranks are assigned by the sizes of subtrees, and the tree is the implicit
/// tree of the ranks. The process of rank r registers with the introducer of r and with the introducer of r's
/// parent. So introducers know neighbours that do not know each other, and introduce them.
///
/// The introducer of rank r, H(r) in the paper, is the process with rank n - 1 - r in the parent group. Each
/// process introduces one rank, so memory is O(k). Leaves, which have the least to do, introduce the first
/// ranks. The scheme can shift all introducers. If the parent group's numbering is not direct, registrations
/// travel along the tree, and the root forwards most. Shrink-and-Balance is better in such groups.
///
/// Messages, if m of n processes participate: n - 1 reports; one descent or relocation for each vertex but
/// the root that has participants in its subtree; 2 m - 1 registrations; m - 1 introductions of parents; and
/// one introduction of children for each vertex that has children in the new tree. Added to these are
/// forwarded registrations and, if a filler replaces the parent group's root, the first descent.
class Hash final : public Shrinking {
public:
  Hash(const Place& place, bool participates, const Scheme& scheme, Send send)
      : Shrinking(place, participates, scheme, std::move(send)), shift_(scheme.shift) {}

private:
  EnrolmentMessage first_descent(Branch& branch) override {
    return controlling(EnrolmentMessage::EnrolmentKind::descent, branch, {0, branch.size});
  }

  void descend(Id, MessageReader& reader) override {
    const Rank rank = reader.get();
    const Rank size = reader.get();
    Rank next = participates() ? rank + 1 : rank;
    for (Branch& branch : branches()) {
      if (branch.size == 0) continue;
      send(branch.root.id, controlling(EnrolmentMessage::EnrolmentKind::descent, branch, {next, size}));
      next += branch.size;
    }
    branches() = {};
    if (participates()) enter(rank, size);
  }

  void enter(Rank rank, Rank size) {
    const int below = children(rank, size, branching());
    coming_ = new_place(rank, size, depth(rank, branching()), 0, nobody, Place::ChildNumbering::by_level);
    coming_->children.resize(static_cast<std::size_t>(below));
    missing_ = (rank > 0 ? 1 : 0) + (below > 0 ? 1 : 0);
    pass_on(rank, rank, place().id, size);
    if (rank > 0) pass_on(parent(rank, branching()), rank, place().id, size);
    if (missing_ == 0) set_group(*std::exchange(coming_, std::nullopt));
  }

  Rank introducer_of(Rank rank) const {
    const Rank size = place().size;
    return (size - 1 - rank + shift_ % size) % size;
  }

  /// Sends the registration of process `who`, of rank `rank` in a group of `size`, to the introducer of `at`.
  void pass_on(Rank at, Rank rank, Id who, Rank size) {
    const Rank introducer = introducer_of(at);
    const Id to = introducer == place().rank ? place().id : place().toward(introducer);
    send(to, EnrolmentMessage(EnrolmentMessage::EnrolmentKind::registration, {at, rank, who, size}));
  }

  void handle_other(const EnrolmentMessage& message) override {
    MessageReader reader(message);
    if (message.kind() == EnrolmentMessage::EnrolmentKind::introduction) return meet(reader);
    const Rank at = reader.get();
    const Rank rank = reader.get();
    const Id who = reader.get();
    const Rank size = reader.get();
    if (introducer_of(at) == place().rank)
      note(at, rank, who, size);
    else
      pass_on(at, rank, who, size);
  }

  void meet(MessageReader& reader) {
    const bool are_children = reader.get() != 0;
    const auto neighbours = reader.get_words();
    if (are_children)
      for (std::size_t i = 0; i < neighbours.size(); ++i)
        coming_->children[i] = {neighbours[i], child(coming_->rank, static_cast<int>(i), branching())};
    else
      coming_->parent = neighbours.front();
    if (--missing_ == 0) set_group(*std::exchange(coming_, std::nullopt));
  }

  /// Records a registration, as an introducer.
  void note(Rank at, Rank rank, Id who, Rank size) {
    const int expected = children(at, size, branching());
    below_.resize(static_cast<std::size_t>(expected));
    if (rank == at)
      above_ = who;
    else
      below_[static_cast<std::size_t>(rank - child(at, 0, branching()))] = who;
    if (++registered_ == 1 + expected && expected > 0) introduce();
  }

  void introduce() {
    const auto tell = [&](Id to, bool are_children, std::span<const Id> neighbours) {
      EnrolmentMessage message(EnrolmentMessage::EnrolmentKind::introduction, {are_children ? 1 : 0});
      message.put(neighbours);
      send(to, std::move(message));
    };
    tell(above_, true, below_);
    for (const Id child : below_) tell(child, false, std::span(&above_, 1));
    below_ = {};
  }

  std::size_t memory() const override {
    return sizeof *this + heap() + heap_bytes(below_) + (coming_ ? heap_bytes(coming_->children) : 0);
  }

  Rank shift_;

  // The state as introducer, for the one rank that this process introduces.
  int registered_ = 0;
  Id above_ = nobody;
  std::vector<Id> below_; ///< by child, the process that has registered

  std::optional<Place> coming_; ///< the new place, while neighbours are missing from it
  int missing_ = 0;             ///< introductions to wait for
};

} // namespace

std::unique_ptr<Enrolment> make_hash(const Scheme& scheme, const Place& place, bool participates, Send send) {
  return std::make_unique<Hash>(place, participates, scheme, std::move(send));
}

} // namespace helper::groups::tree
