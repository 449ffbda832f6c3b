// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "workload.hpp"

#include "collective/operation.hpp"

#include <cstddef>
#include <optional>
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

/// The name that the library has for an operation.
helper::collective::Operation in_library(Operation operation);

/// An operation by the library's model of costs.
struct Modelled {
  std::string algorithm; ///< that the library selects, or "native"
  double seconds;        ///< of a call
};

/// Models an operation on contiguous data. Returns nothing on one node, for which there is no model. Call it
/// after MPI_Init. All ranks get the same result.
std::optional<Modelled> modelled(Operation operation, std::size_t bytes, bool native, const Machine& machine);

} // namespace bench
