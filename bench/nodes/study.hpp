// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/network.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace bench::nodes {

using helper::collective::Network;

/// Ranks of a node, and threads of each.
struct Shape {
  int ranks, team;
};

/// What an operation costs by one means.
struct Cost {
  double seconds;                  ///< by the formulas that the library selects by
  std::size_t messages;            ///< of the rank that sends most of them, for all chunks
  double bytes;                    ///< that it sends
  std::optional<double> simulated; ///< seconds of the simulator, where the cell is small enough
};

/// An operation on dense data; `bytes` are counted as the library's table does.
struct Cell {
  const Network* network;
  int nodes;
  Shape shape;
  helper::collective::Operation operation;
  std::size_t bytes;
  helper::collective::Algorithm algorithm; ///< that the library selects, knowing the network's costs
  Cost library, mpich;
  double untuned_seconds;  ///< of what it selects by the default costs
  double textbook_seconds; ///< of the best of the flat algorithms with one thread
};

/// Computes the cells for these numbers of nodes. Simulates cells of at most `most_events` messages.
std::vector<Cell> study(const std::vector<int>& nodes, std::size_t most_events);

nlohmann::ordered_json json(const std::vector<Cell>& cells);

} // namespace bench::nodes
