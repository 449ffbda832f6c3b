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

/// What an enrolment of a whole communicator took.
struct Enrolled {
  double seconds = 0;
  std::size_t messages = 0, bytes = 0;       ///< of the enrolment, without the two passes around it
  std::size_t to_itself = 0;                 ///< messages of a process to itself
  std::size_t deliveries = 0, delivered = 0; ///< with balance: subtrees that moved, and their vertices
  std::size_t most_state_bytes = 0;          ///< of a process, while it enrols
  double mean_state_bytes = 0;               ///< of all processes
  std::size_t most_place_bytes = 0;          ///< of a member, which it keeps
  int most_children = 0, height = 0;         ///< of the new tree
};

/// A time in which a process was busy with a message, and with those that it sent because of it. The kind is
/// that of the message; nothing of the passes before and after the enrolment.
struct Busy {
  helper::groups::tree::Id process;
  double since, until;
  std::optional<helper::groups::tree::EnrolmentMessage::EnrolmentKind> kind;
};

/// Enrols the processes that participate, as the paper times it (section VII.A): from the begin of a
/// broadcast over the communicator's tree, which has each process start, to the end of a reduction over the
/// new one. The branching factor of both is the scheme's.
/// A list of varying length in a message, of participants or of fillers, takes either processor `list_cost`
/// times as long as the message itself, and so does each filler in it, which is looked at one by one. `watch`
/// is called, if it is given, for all that a process does.
Enrolled enrol(const Costs& costs, const std::vector<bool>& participates,
               const helper::groups::tree::Scheme& scheme, double list_cost = 1,
               const std::function<void(const Busy&)>& watch = {});

} // namespace model
