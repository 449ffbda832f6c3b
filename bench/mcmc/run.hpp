// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include "workload.hpp"

namespace mcmc {

/// That a rank is in the group of these ranks from then on.
struct Membership {
  double since; ///< seconds after the begin
  int first, last;
};

/// What this rank has seen. `seconds` and `seconds_to_end` are the latest of all ranks.
struct Run {
  Outcome outcome;
  std::vector<Membership> memberships;
};

/// The benchmark with all ranks of MPI_COMM_WORLD, who sleep or compute. The calling thread must be
/// in a phase of a team, and so waits asleep. Collective.
Run run(const Workload& workload, const Balancing& balancing);

} // namespace mcmc
