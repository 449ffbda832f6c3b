// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "groups/tree/enrolment.hpp"

namespace helper::groups::tree {

/// A candidate is a participant that may be told to fill a hole.
struct FillerCandidate {
  Id id;
  /// The number of relocations and orders sent to it so far. Messages of different senders may overtake one
  /// another, so what depends on those has to wait for as many.
  std::int32_t sent;
};

/// An order to give `vertices` vertices of the receiver's subtree to `consumer`.
struct Order {
  Id consumer;
  Rank vertices;
};

/// A branch is what the vertex above knows of a subtree.
struct Branch {
  FillerCandidate root;
  Rank size;
  /// The level of the hole that its root was relocated to, or that made it a child of another vertex.
  std::int32_t level = own_level;
  /// Participants of the subtree that may be taken out one after the other, each of them a leaf by then.
  std::vector<FillerCandidate> fillers = {};
  /// Those of it that have been taken out, which vertices below have yet to be told.
  std::vector<Id> victims = {};
  std::vector<Order> orders = {}; ///< those that have not been sent to its root yet

  static constexpr std::int32_t own_level = INT32_MAX;
};

/// Reads a branch with its fillers, as reports have it on the way up.
Branch get_report(MessageReader& reader);

/// Returns the heap memory that branches take.
std::size_t heap_bytes_of(const std::vector<Branch>& branches);

/// The common part of balance and hash, section V.A. On the way up, each vertex of the parent's tree reports
/// the size of its subtree. A vertex that does not participate is a hole. It chooses a participant of its
/// subtree, the filler, to take its place, and reports in the filler's name without waiting for it. So the
/// tree shrinks to its participants. On the way down each gets a descent.
///
/// A filler that is a child gets the other children in addition to its own. A filler that is a leaf gets all
/// children. It may have been far below: then the vertices between learn from a list of victims in their
/// descent that they have lost it. Without fillers holes stay where they are, and pass on what comes down.
class Shrinking : public Enrolment {
protected:
  Shrinking(const Place& place, bool participates, const Scheme& scheme)
      : Enrolment(place, participates, scheme.branching), filler_(scheme.filler),
        least_fillers_(scheme.least_fillers), reports_(place) {}

  /// Returns the subtrees below this vertex. They are final once it has been sent a descent or an order;
  /// without fillers, empty ones are among them.
  std::vector<Branch>& branches() { return branches_; }
  const std::vector<Branch>& branches() const { return branches_; }

  /// Makes a message that its receiver must not see before messages already on their way. The message names
  /// the victims, so that the receiver need not learn of them again. `words` follow.
  static EnrolmentMessage controlling(EnrolmentMessage::EnrolmentKind kind, Branch& branch,
                                      std::initializer_list<std::int32_t> words);

  std::size_t heap() const;

private:
  void begin(Sink& sink) final;
  void handle(Id from, const EnrolmentMessage& message, Sink& sink) final;

  /// Returns, at the root, the message to `branch`, the root of the new group.
  virtual EnrolmentMessage first_descent(Branch& branch) = 0;
  /// Acts on what came down to this vertex, from which the part that `controlling` made has been taken.
  virtual void descend(Id from, MessageReader& reader, Sink& sink) = 0;
  /// Acts on an order, from which that part has been taken.
  virtual void obey(MessageReader&, Sink&) {}
  /// Acts on a message of another kind.
  virtual void handle_other(const EnrolmentMessage& message, Sink& sink) = 0;

  /// Every hole between here and the root may want one more filler, so as many suffice.
  std::size_t most_fillers() const {
    return static_cast<std::size_t>(std::max(place().depth, least_fillers_));
  }

  void report(Sink& sink);
  void send_down(Branch& all, Sink& sink);
  Branch unfilled(const std::vector<Branch>& below, Rank size) const;
  Branch filled(std::vector<Branch>& below, Rank size) const;
  void relocate(Id filler, const std::vector<Branch>& below, Sink& sink);
  void be_relocated(const EnrolmentMessage& message);
  void follow(Sink& sink);
  void settle(std::span<const Id> victims);

  struct Control {
    Id from;
    EnrolmentMessage message;
  };

  Scheme::Filler filler_;
  std::int32_t least_fillers_;
  bool settled_ = false;
  std::int32_t level_ = Branch::own_level; ///< the level of the highest hole that it has been told to fill
  std::int32_t received_ = 0;              ///< how many relocations and orders have come
  Gather<Branch> reports_;
  std::vector<Branch> branches_;
  std::vector<Control> waiting_; ///< messages that have overtaken others
};

} // namespace helper::groups::tree
