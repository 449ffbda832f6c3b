// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulation.hpp"

#include "groups/tree/enrolment.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace model {

/// The cost of enrolling a whole communicator.
struct Enrolled {
  double seconds = 0;
  std::size_t messages = 0;                  ///< of the enrolment, without the passes before and after
  std::size_t to_itself = 0;                 ///< messages of a process to itself
  std::size_t deliveries = 0, delivered = 0; ///< with balance: subtrees that moved, and the vertices in them
  std::size_t most_state_bytes = 0;          ///< state of a process while it enrols
  double mean_state_bytes = 0;               ///< of all processes
  std::size_t most_place_bytes = 0;          ///< state that a member keeps
  int most_children = 0, height = 0;         ///< of the new tree
};

/// An interval in which a process was busy with a message, and with the messages that it sent in response.
/// The kind is the kind of the message. Passes before and after the enrolment are not included.
struct Busy {
  helper::groups::tree::Id process;
  double since, until;
  std::optional<helper::groups::tree::EnrolmentMessage::EnrolmentKind> kind;
};

/// Enrols the processes that participate, timed like in the paper (section VII.A): from the start of a
/// broadcast over the communicator's tree, which starts each process, to the end of a reduction over the new
/// tree. Both trees have the scheme's branching factor.
///
/// A list of varying length in a message, of participants or fillers, costs each side `list_cost` times as
/// much as the message itself. So does each filler in it, since fillers are handled one by one. If `watch` is
/// set, it is called for each interval in which a process is busy.
Enrolled enrol(const Costs& costs, const std::vector<bool>& participates,
               const helper::groups::tree::Scheme& scheme, double list_cost = 1,
               const std::function<void(const Busy&)>& watch = {});

} // namespace model
