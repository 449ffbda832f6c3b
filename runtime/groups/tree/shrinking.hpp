// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/tree/branch.hpp"
#include "groups/tree/enrolment.hpp"
#include "groups/tree/gather.hpp"

namespace helper::groups::tree {

/// What balance and hash have in common, section V.A: on the way up, each vertex of the parent's tree reports
/// its subtree's size. Where it does not participate it is a hole: it names a participant of the subtree, the
/// filler, to take its place. It reports in the filler's name, without waiting for it. So the tree shrinks to
/// its participants, which then, on the way down, are sent a descent each.
///
/// A filler that is a child gets the other children in addition to its own. One that is a leaf gets all
/// children; as it may itself have been far below, the vertices between learn on the way down that they have
/// lost it, from the list of victims that comes with their descent. Without fillers holes stay where they
/// are, and pass on what comes down.
class Shrinking : public Enrolment {
protected:
  Shrinking(const Place& place, bool participates, const Scheme& scheme)
      : Enrolment(place, participates, scheme.branching), filler_(scheme.filler), reports_(place) {}

  /// The subtrees below this vertex. Final once it has been sent a descent or an order; without fillers, also
  /// empty ones.
  std::vector<Branch>& branches() { return branches_; }
  const std::vector<Branch>& branches() const { return branches_; }

  /// A message that its receiver must not see before those already on their way to it. It names the victims,
  /// whom it then need not be told of again.
  static Message controlling(Message::Kind kind, Branch& branch);

  std::size_t heap() const;

private:
  void begin(Sink& sink) final;
  void handle(Id from, const Message& message, Sink& sink) final;

  /// At the root: what to tell the root of the new group, `branch`.
  virtual Message first_descent(Branch& branch) = 0;
  /// What came down to this vertex, with what `controlling` made already taken from it.
  virtual void descend(Id from, Reader& reader, Sink& sink) = 0;
  /// An order, likewise; and every message of another kind, whole.
  virtual void obey(Reader& reader, Sink& sink);
  virtual void handle_other(Id from, const Message& message, Sink& sink);

  void report(Sink& sink);
  void send_down(Branch& all, Sink& sink);
  Branch unfilled(const std::vector<Branch>& below, Rank size) const;
  Branch filled(std::vector<Branch>& below, Rank size) const;
  void relocate(Id filler, const std::vector<Branch>& below, Sink& sink);
  void be_relocated(const Message& message);
  void follow(Sink& sink);
  void settle(std::span<const Id> victims);

  struct Control {
    Id from;
    Message message;
  };

  Scheme::Filler filler_;
  bool settled_ = false;
  std::int32_t level_ = Branch::own_level; ///< of the highest hole that it has been told to fill
  std::int32_t received_ = 0;              ///< relocations and orders
  Gather<Branch> reports_;
  std::vector<Branch> branches_;
  std::vector<Control> waiting_; ///< that overtook others
};

} // namespace helper::groups::tree
