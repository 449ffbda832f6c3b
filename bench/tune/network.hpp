// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/selection.hpp"
#include "ranks/nodes.hpp"

namespace bench {

/// Measures what messages between nodes cost while all nodes exchange two by two, and within the first one,
/// by native MPI, and how fast a thread adds doubles. What cannot be measured, as a node has a single rank,
/// is as in the default costs. It is collective over MPI_COMM_WORLD; the result holds at rank 0.
helper::collective::NetworkCosts measure_network(const helper::ranks::Nodes& nodes, int repetitions);

} // namespace bench
