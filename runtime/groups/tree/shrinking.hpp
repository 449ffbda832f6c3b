// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/tree/branch.hpp"
#include "groups/tree/enrolment.hpp"
#include "groups/tree/gather.hpp"

namespace helper::groups::tree {

/// This is what balance and hash have in common, section V.A: on the way up, each vertex of the parent's tree
/// reports its subtree's size. Where it does not participate it is a hole: it names a participant of the
/// subtree, the filler, to take its place. It reports in the filler's name, without waiting for it. So the
/// tree shrinks to its participants, which then, on the way down, are sent a descent each.
///
/// A filler that is a child gets the other children in addition to its own. One that is a leaf gets all
/// children; as it may itself have been far below, the vertices between learn on the way down that they have
/// lost it, from the list of victims that comes with their descent. Without fillers holes stay where they
/// are, and pass on what comes down.
class Shrinking : public Enrolment {
protected:
  Shrinking(const Place& place, bool participates, const Scheme& scheme)
      : Enrolment(place, participates, scheme.branching), filler_(scheme.filler), reports_(place) {}

  /// Returns the subtrees below this vertex. They are final once it has been sent a descent or an order;
  /// without fillers, empty ones are among them.
  std::vector<Branch>& branches() { return branches_; }
  const std::vector<Branch>& branches() const { return branches_; }

  /// Makes a message that its receiver must not see before those already on their way to it. The message
  /// names the victims, of whom the receiver then need not be told again.
  static EnrolmentMessage controlling(EnrolmentMessage::Kind kind, Branch& branch);

  std::size_t heap() const;

private:
  void begin(Sink& sink) final;
  void handle(Id from, const EnrolmentMessage& message, Sink& sink) final;

  /// Returns, at the root, the message to `branch`, the root of the new group.
  virtual EnrolmentMessage first_descent(Branch& branch) = 0;
  /// Acts on what came down to this vertex, from which the part that `controlling` made has been taken.
  virtual void descend(Id from, MessageReader& reader, Sink& sink) = 0;
  /// Acts on an order, from which that part has been taken.
  virtual void obey(MessageReader& reader, Sink& sink);
  /// Acts on a message of another kind.
  virtual void handle_other(Id from, const EnrolmentMessage& message, Sink& sink);

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
  bool settled_ = false;
  std::int32_t level_ = Branch::own_level; ///< the level of the highest hole that it has been told to fill
  std::int32_t received_ = 0;              ///< how many relocations and orders have come
  Gather<Branch> reports_;
  std::vector<Branch> branches_;
  std::vector<Control> waiting_; ///< messages that have overtaken others
};

} // namespace helper::groups::tree
