// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include "ranks/nodes.hpp"

namespace helper::ranks {

/// The place of a rank of MPI_COMM_WORLD.
struct Location {
  int first;    ///< the lowest rank on its node
  int position; ///< on the node: the nearer two ranks are, the less their positions differ

  bool operator==(const Location&) const = default;
};

/// The locations of all ranks. They take memory per rank only if nodes or positions are irregular.
class Locations {
public:
  /// Makes the locations of no ranks.
  Locations() = default;

  explicit Locations(const std::vector<Location>& by_rank);

  int size() const noexcept { return size_; }
  Location operator[](int rank) const noexcept;

private:
  int size_ = 0;
  Nodes nodes_;                   // of the ranks
  std::vector<int> positions_;    // on each node, by Nodes::Place::index
  std::vector<Location> by_rank_; // used instead of both if memory per rank is needed
};

} // namespace helper::ranks
