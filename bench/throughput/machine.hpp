// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/bench.hpp"
#include "workload.hpp"

#include "collective/operation.hpp"

namespace bench {

/// Where the benchmark runs. Equal on all ranks except the host and the processor, which are this rank's.
struct Machine {
  std::string host, processor, mpi;
  int ranks;
  int nodes;
  int ranks_per_node;   ///< on the fullest node
  int processing_units; ///< that the ranks of a node may use together, on the node with the fewest
};

/// Collective over MPI_COMM_WORLD.
Machine find_machine();

helper::collective::Operation in_library(const Operation& operation);

/// Models an operation on contiguous data: the algorithm that the library selects, or "native", and the
/// seconds of a call. Returns null on one node, for which there is no model. Call it after MPI_Init. All
/// ranks get the same result.
Json modelled(const Operation& operation, std::size_t bytes, bool native, const Machine& machine);

} // namespace bench
