// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/tree/shrinking.hpp"

namespace helper::groups::tree {

/// Shrink-and-Hash, section VI: ranks are handed out by the sizes of subtrees, and the tree is the implicit
/// one of the ranks. The process of rank r registers with the introducer of r and with that of r's parent,
/// which so get to know neighbours that do not know each other, and introduce them.
///
/// Introducer of rank r, the paper's H(r), is the process with rank n - 1 - r in the parent: one rank for
/// each, so that memory is O(k), and leaves first, which have the least to do. The scheme can shift them all.
/// In a parent whose numbering is not direct, registrations travel along its tree, which makes its root
/// forward the better part of them: there balance is the better scheme.
///
/// Messages: n - 1 up; down one per vertex that has participants in its subtree, but the root; 3 m - 2 and
/// one per vertex that has children in the new tree to introduce. Forwarding comes on top, and so does, with
/// a filler, the first message if the parent's root does not participate.
class Hash final : public Shrinking {
public:
  Hash(const Place& place, bool participates, const Scheme& scheme)
      : Shrinking(place, participates, scheme), shift_(scheme.shift) {}

private:
  Message first_descent(Branch& branch) override;
  void descend(Id from, Reader& reader, Sink& sink) override;
  void handle_other(Id from, const Message& message, Sink& sink) override;
  std::size_t memory() const override;

  /// Process `who` of rank `rank`, in a group of `size`, to the introducer of rank `at`.
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
  void meet(Reader& reader);
  Rank introducer_of(Rank rank) const {
    const Rank size = place().size;
    return (size - 1 - rank + shift_ % size) % size;
  }

  Rank shift_;

  /// As introducer: of the one rank that this process introduces.
  int registered_ = 0;
  Id above_ = nobody;
  std::vector<Id> below_; ///< of all children, once there is one

  std::optional<Place> coming_; ///< the new place, while neighbours are missing from it
  int missing_ = 0;             ///< introductions
};

} // namespace helper::groups::tree
