// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include "run.hpp"

namespace mcmc {

/// Draws a line for each rank, coloured by the group that it was in. Rank 0 writes the file. Collective over
/// MPI_COMM_WORLD.
void draw_timeline(const Run& run, const std::string& file);

} // namespace mcmc
