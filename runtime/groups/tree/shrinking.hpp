// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "groups/tree/enrolment.hpp"

namespace helper::groups::tree {

/// A participant that may be told to fill a hole.
struct FillerCandidate {
  Id id;
  /// The number of relocations and orders sent to the participant so far. Messages from different senders may
  /// overtake one another. So a descent or order has this number, and waits until that many have arrived.
  std::int32_t sent;
};

/// An order to give `vertices` vertices of the receiver's subtree to `consumer`.
struct Order {
  Id consumer;
  Rank vertices;
};

/// What the vertex above knows of a subtree.
struct Branch {
  FillerCandidate root;
  Rank size;
  /// The level of the hole whose relocation brought the branch to the vertex above; else `own_level`.
  std::int32_t level = own_level;
  /// Participants that may be removed from the subtree, in this order. Each is a leaf when its turn comes.
  std::vector<FillerCandidate> fillers = {};
  /// Participants that were removed from the subtree. The subtree's root has not been told of them yet.
  std::vector<Id> victims = {};
  std::vector<Order> orders = {}; ///< orders that have not been sent to its root yet

  static constexpr std::int32_t own_level = INT32_MAX;
};

/// Reads a branch with its fillers, as a report contains them.
Branch get_report(MessageReader& reader);

/// Returns the heap memory that branches take.
std::size_t heap_bytes_of(const std::vector<Branch>& branches);

/// The common part of balance and hash, section V.A of the paper. On the way up, each vertex of the parent
/// group's tree reports the size of its subtree. A vertex that does not participate is a hole. It chooses a
/// participant of its subtree, the filler, to take its place. The hole reports in the filler's name, without
/// waiting for the filler. So the tree shrinks to its participants. On the way down, vertices get descents.
///
/// A filler that is a child of the hole gets the hole's other children in addition to its own. A filler that
/// is a leaf gets all children of the hole. It may come from far below. Then the vertices in between learn
/// from the victims in their descents that it has left. Without fillers, holes stay in the tree and pass
/// descents on.
class Shrinking : public Enrolment {
protected:
  Shrinking(const Place& place, bool participates, const Scheme& scheme, Send send)
      : Enrolment(place, participates, scheme.branching, std::move(send)), filler_(scheme.filler),
        least_fillers_(scheme.least_fillers), reports_(place) {}

  /// Returns the subtrees below: in descend() and obey() without empty ones and without fillers that left.
  std::vector<Branch>& branches() { return branches_; }
  const std::vector<Branch>& branches() const { return branches_; }

  /// Returns a message of `kind`, descent or order, to the root of `branch`, with its victims and `words`.
  /// Clears the victims. The message has the number of relocations and orders sent to that root before it:
  /// the root handles those first.
  static EnrolmentMessage controlling(EnrolmentMessage::EnrolmentKind kind, Branch& branch,
                                      std::initializer_list<std::int32_t> words);

  std::size_t heap() const;

private:
  void begin() final;
  void handle(Id from, const EnrolmentMessage& message) final;

  /// Called at the parent group's root. Returns the descent to the root of `branch`, the whole shrunken tree.
  virtual EnrolmentMessage first_descent(Branch& branch) = 0;
  /// Handles a descent to this vertex. `reader` is at the `words` of controlling().
  virtual void descend(Id from, MessageReader& reader) = 0;
  /// Handles an Order, which only balance sends. The reader is at the `words` of controlling().
  virtual void obey(MessageReader&) {}
  /// Handles a message of another kind.
  virtual void handle_other(const EnrolmentMessage& message) = 0;

  /// Returns how many fillers a vertex names to its parent: each hole between it and the root may need one.
  std::size_t most_fillers() const {
    return static_cast<std::size_t>(std::max(place().depth, least_fillers_));
  }

  void report();
  void send_down(Branch& all);
  Branch unfilled(const std::vector<Branch>& below, Rank size) const;
  Branch filled(std::vector<Branch>& below, Rank size) const;
  void relocate(Id filler, const std::vector<Branch>& below);
  void be_relocated(const EnrolmentMessage& message);
  void follow();
  void settle(std::span<const Id> victims);

  Scheme::Filler filler_;
  std::int32_t least_fillers_;
  bool settled_ = false;
  std::int32_t level_ = Branch::own_level; ///< the level of the highest hole that it was told to fill
  std::int32_t received_ = 0;              ///< the number of relocations and orders that have arrived
  Gather<Branch> reports_;
  std::vector<Branch> branches_;
  std::vector<std::pair<Id, EnrolmentMessage>> waiting_; ///< descents and orders that wait, with senders
};

} // namespace helper::groups::tree
