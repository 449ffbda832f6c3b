// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace bench {

/// Where the benchmark runs. The same on all ranks, but for the host and the processor, which are this
/// rank's.
struct Machine {
  std::string host, processor, mpi;
  int ranks;
  int nodes;
  int ranks_per_node;   ///< on the fullest node
  int processing_units; ///< that the ranks of a node may use together, on the poorest node
};

/// Collective over MPI_COMM_WORLD.
Machine find_machine();

} // namespace bench
