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
  /// The number of relocations and orders sent to it so far. Messages of different senders may overtake one
  /// another, so a message that depends on those waits until as many have arrived.
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
  /// The level of the hole that its root was relocated to, or that made it a child of another vertex.
  std::int32_t level = own_level;
  /// Participants of the subtree that may be removed one after the other; each is a leaf by then.
  std::vector<FillerCandidate> fillers = {};
  /// Participants that have been removed, which vertices below have yet to be told.
  std::vector<Id> victims = {};
  std::vector<Order> orders = {}; ///< orders that have not been sent to its root yet

  static constexpr std::int32_t own_level = INT32_MAX;
};

/// Reads a branch with its fillers, in the form of reports.
Branch get_report(MessageReader& reader);

/// Returns the heap memory that branches take.
std::size_t heap_bytes_of(const std::vector<Branch>& branches);

/// The common part of balance and hash, section V.A. On the way up, each vertex of the parent's tree reports
/// the size of its subtree. A vertex that does not participate is a hole. It chooses a participant of its
/// subtree, the filler, to take its place, and reports in the filler's name without waiting for it. So the
/// tree shrinks to its participants. On the way down each participant gets a descent.
///
/// A filler that is a child gets the other children in addition to its own. A filler that is a leaf gets all
/// children. It may have been far below: then the vertices between learn from a list of victims in their
/// descent that they have lost it. Without fillers holes stay in place, and pass on what comes down.
class Shrinking : public Enrolment {
protected:
  Shrinking(const Place& place, bool participates, const Scheme& scheme, Send send)
      : Enrolment(place, participates, scheme.branching, std::move(send)), filler_(scheme.filler),
        least_fillers_(scheme.least_fillers), reports_(place) {}

  /// Returns the subtrees below, final after a descent or an order. Without fillers some may be empty.
  std::vector<Branch>& branches() { return branches_; }
  const std::vector<Branch>& branches() const { return branches_; }

  /// Makes a message that its receiver must not handle before messages already in flight. The message names
  /// the victims, so that the receiver need not be told again. `words` follow.
  static EnrolmentMessage controlling(EnrolmentMessage::EnrolmentKind kind, Branch& branch,
                                      std::initializer_list<std::int32_t> words);

  std::size_t heap() const;

private:
  void begin() final;
  void handle(Id from, const EnrolmentMessage& message) final;

  /// Returns, at the root, the message to `branch`, the root of the new group.
  virtual EnrolmentMessage first_descent(Branch& branch) = 0;
  /// Handles a descent to this vertex; the reader is after the part that `controlling` wrote.
  virtual void descend(Id from, MessageReader& reader) = 0;
  /// Handles an order; the reader is after the same part.
  virtual void obey(MessageReader&) {}
  /// Handles a message of another kind.
  virtual void handle_other(const EnrolmentMessage& message) = 0;

  /// Every hole between here and the root may need one more filler, so this number suffices.
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
  std::int32_t level_ = Branch::own_level; ///< the level of the highest hole that it has been told to fill
  std::int32_t received_ = 0;              ///< the number of relocations and orders that have arrived
  Gather<Branch> reports_;
  std::vector<Branch> branches_;
  std::vector<std::pair<Id, EnrolmentMessage>> waiting_; ///< messages that overtook others, with senders
};

} // namespace helper::groups::tree
