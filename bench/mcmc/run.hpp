// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "report.hpp"
#include "threads.hpp"

namespace mcmc {

/// Runs the benchmark with all ranks of MPI_COMM_WORLD. They sleep or make `threads` compute. Collective.
/// Only the thread that made `threads` calls it. Times are the latest of all ranks.
Result run(const Workload& workload, const Balancing& balancing, Threads& threads);

} // namespace mcmc
