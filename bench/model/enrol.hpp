// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulation.hpp"

#include "groups/tree/enrolment.hpp"

#include <cstddef>
#include <vector>

namespace model {

/// What an enrolment of a whole communicator took.
struct Enrolled {
  double seconds;
  std::size_t messages, bytes;  ///< of the enrolment, without the two passes around it
  std::size_t most_state_bytes; ///< of a process
  int most_children, height;    ///< of the new tree
};

/// Enrols the processes that participate, as the paper times it (section VII.A): from the begin of a
/// broadcast over the communicator's tree, which has each process start, to the end of a reduction over the
/// new one. The branching factor of both is the scheme's.
///
/// A list of varying length in a message, of participants or of fillers, takes either processor as long again
/// as the message itself, and so does each filler in it, which is looked at one by one.
Enrolled enrol(const Costs& costs, const std::vector<bool>& participates,
               const helper::groups::tree::Scheme& scheme);

} // namespace model
