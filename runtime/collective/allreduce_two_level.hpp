// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// Carries MPI_Allreduce on ranks of several nodes: each node reduces among its ranks, shares of the result
/// go between the nodes, and what comes of it goes to all ranks of each. So every byte leaves a node, and
/// enters it, once or twice, however many ranks the node has. At each node as many ranks as the smallest node
/// has communicate with the other nodes, each about its own share. Blocks, lending the caller; throws
/// MpiError.
void allreduce_two_level(const Reduction& reduction, const pipeline::Stream& from,
                         const pipeline::Stream& to);

} // namespace helper::collective
