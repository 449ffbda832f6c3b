// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "workload.hpp"

#include "collective/operation.hpp"

#include <cstddef>
#include <optional>
#include <string>

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

struct Modelled {
  std::string algorithm; ///< selected by the library, or "native"
  double seconds;        ///< of a call
};

/// Models an operation on contiguous data. Returns nothing on one node, for which there is no model. Call it
/// after MPI_Init. All ranks get the same result.
std::optional<Modelled> modelled(const Operation& operation, std::size_t bytes, bool native,
                                 const Machine& machine);

} // namespace bench
