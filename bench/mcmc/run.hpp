// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "report.hpp"
#include "threads.hpp"

namespace mcmc {

/// The benchmark with all ranks of MPI_COMM_WORLD, who sleep or have `threads` compute. Collective; for the
/// thread that made these. Times are the latest of all ranks.
Result run(const Workload& workload, const Balancing& balancing, Threads& threads);

} // namespace mcmc
