// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace mcmc {

/// Finds out how much a thread computes in a second, at rank 0, while the others wait. Collective over
/// MPI_COMM_WORLD, in a phase; before compute().
void calibrate();

/// Does what takes one thread that long, in so many threads. Returns what came of it.
double compute(double seconds, int threads);

} // namespace mcmc
