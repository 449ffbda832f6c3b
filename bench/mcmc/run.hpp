// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "report.hpp"
#include "threads.hpp"

namespace mcmc {

/// Runs the benchmark with all ranks of MPI_COMM_WORLD. They sleep, or compute with `threads`. Collective.
/// Only the thread that made `threads` calls it. Times are of the slowest rank.
Result run(const Workload& workload, const Balancing& balancing, Threads& threads);

} // namespace mcmc
