// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/tree/shrinking.hpp"

namespace helper::groups::tree {

/// This is Shrink-and-Hash, section VI: ranks are handed out by the sizes of subtrees, and the tree is the
/// implicit one of the ranks. The process of rank r registers with the introducer of r and with that of r's
/// parent, which so get to know neighbours that do not know each other, and introduce them.
///
/// The introducer of rank r, the paper's H(r), is the process with rank n - 1 - r in the parent. Each has one
/// rank, so that memory is O(k), and leaves come first, which have the least to do. The scheme can shift them
/// all.
/// In a parent whose numbering is not direct, registrations travel along its tree, which makes its root
/// forward the better part of them: there balance is the better scheme.
///
/// It takes n - 1 messages up; one down for each vertex that has participants in its subtree, but the root;
/// and 3 m - 2 and one for each vertex that has children in the new tree to introduce. Forwarding comes on
/// top, and so does, with a filler, the first message if the parent's root does not participate.
class Hash final : public Shrinking {
public:
  Hash(const Place& place, bool participates, const Scheme& scheme)
      : Shrinking(place, participates, scheme), shift_(scheme.shift) {}

private:
  EnrolmentMessage first_descent(Branch& branch) override;
  void descend(Id from, MessageReader& reader, Sink& sink) override;
  void handle_other(Id from, const EnrolmentMessage& message, Sink& sink) override;
  std::size_t memory() const override;

  /// Process `who` of rank `rank`, in a group of `size`, sends a registration to the introducer of rank `at`.
  struct Registration {
    Rank at, rank;
    Id who;
    Rank size;
  };

  void enter(Rank rank, Rank size, Sink& sink);
  void register_at(Rank at, Rank size, Sink& sink);
  void pass_on(const Registration& registration, Sink& sink);
  void note(const Registration& registration, Sink& sink);
  void introduce(Sink& sink);
  void meet(MessageReader& reader);
  Rank introducer_of(Rank rank) const {
    const Rank size = place().size;
    return (size - 1 - rank + shift_ % size) % size;
  }

  Rank shift_;

  // These are the introducer's, about the one rank that this process introduces.
  int registered_ = 0;
  Id above_ = nobody;
  std::vector<Id> below_; ///< all children, once there is one

  std::optional<Place> coming_; ///< the new place, while neighbours are missing from it
  int missing_ = 0;             ///< introductions to wait for
};

} // namespace helper::groups::tree
