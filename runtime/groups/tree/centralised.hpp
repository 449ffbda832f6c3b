// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/tree/enrolment.hpp"
#include "groups/tree/gather.hpp"

namespace helper::groups::tree {

/// This is the reference, section IV: the root gets the list of all participants, and the tree is cut out of
/// it on the way down. It takes n - 1 messages up, m - 1 down, and one more if the root does not participate.
class Centralised final : public Enrolment {
public:
  Centralised(const Place& place, bool participates, const Scheme& scheme)
      : Enrolment(place, participates, scheme.branching), rosters_(place) {}

private:
  using Roster = std::vector<Id>;

  void begin(Sink& sink) override;
  void handle(Id from, const EnrolmentMessage& message, Sink& sink) override;
  std::size_t memory() const override;

  void report(Sink& sink);
  /// Takes its place. `roster` has this process, and all that belong below it in the new tree.
  void settle(Id parent, Rank rank, Rank size, int depth, std::span<const Id> roster, Sink& sink);

  Gather<Roster> rosters_;
};

} // namespace helper::groups::tree
