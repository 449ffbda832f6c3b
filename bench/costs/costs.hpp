// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/statistics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Something the library costs, and what it may cost at most where the design sets a limit.
struct Cost {
  std::string what, unit;
  Quantiles value;
  std::optional<double> limit = {};
};

using Costs = std::vector<Cost>;

/// JOIN and LEAVE by a team of two threads, each on a core of its own, beside `omp barrier` and FENCE by the
/// same threads.
Costs phase_costs();

/// From publishing a job to its first chunk running on a helper that spins on another core.
Costs publish_costs();

/// What a copy takes by memcpy and by the library where their places in a page make memcpy slow on some
/// processors.
Costs copy_costs();

/// What of a core a member takes that has nothing to do, blocked in LEAVE for a second.
Costs idle_costs();

/// What of the processors a process takes while it waits in MPI_Allreduce for one that comes late. Starts
/// processes: call it before MPI_Init.
Costs waiting_costs();

/// What a rank takes to exchange small messages with another, natively and in a phase, where nothing else is
/// in the caches and where the ranks have written other things. Starts processes: call it before MPI_Init.
Costs small_message_costs();

/// What a parallel region of the library's, in which the program's OpenMP threads help with an MPI call,
/// takes from the call's end on. Starts programs: call it before MPI_Init.
Costs region_costs();

/// What MPI calls outside of any phase take longer with the library preloaded into a program that knows
/// nothing of it. Starts processes: call it before MPI_Init.
Costs interception_costs();

/// What processor time MPI calls take while 10 to 10,000 receives are outstanding, natively and with the
/// library preloaded. Starts processes: call it before MPI_Init.
Costs outstanding_costs();

} // namespace bench
