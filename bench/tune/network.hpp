// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/selection.hpp"
#include "ranks/nodes.hpp"

namespace bench {

/// Measures with native MPI the costs of messages between nodes, while all nodes exchange in pairs, and
/// within the first node. Also measures how fast a thread adds doubles. If nodes have a single rank, some
/// costs keep their defaults. Collective over MPI_COMM_WORLD; the result is valid at rank 0.
helper::collective::NetworkCosts measure_network(const helper::ranks::Nodes& nodes, int repetitions);

} // namespace bench
