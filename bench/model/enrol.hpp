// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulation.hpp"

#include "tree/enrolment.hpp"

#include <cstddef>
#include <vector>

namespace model {

/// What an enrolment's messages cost, and what their handling does that the number of their bytes does not
/// tell.
struct EnrolmentCosts {
  Costs messages;
  double per_list =
      0; ///< seconds, at either end, of a message with a list in it, of participants or of fillers
  double per_filler = 0; ///< and of an entry of a list of fillers
};

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
Enrolled enrol(const EnrolmentCosts& costs, const std::vector<bool>& participates,
               const helper::tree::Scheme& scheme);

} // namespace model
