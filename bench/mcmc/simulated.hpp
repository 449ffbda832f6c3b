// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "model/simulation.hpp"
#include "workload.hpp"

namespace mcmc {

/// Simulates the benchmark for many processes, with the same leaders as with MPI. Only leaders exchange
/// messages. Creating a communicator takes the time of its collective steps: log2 of the members for
/// MPI_Comm_create, the square of it for the paper's Algorithm 1.
Outcome simulate(const Workload& workload, const Balancing& balancing, const model::Costs& costs);

} // namespace mcmc
