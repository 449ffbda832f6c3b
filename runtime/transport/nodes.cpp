// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/nodes.hpp"

#include <algorithm>
#include <unordered_map>

namespace helper::transport {

namespace {

// By rank of MPI_COMM_WORLD, the lowest one on its node. Written by make(), before any other thread
// communicates; never destroyed, since threads may until the process ends.
std::vector<int>& first_on_node() {
  static auto* const by_world_rank = new std::vector<int>;
  return *by_world_rank;
}

} // namespace

void Nodes::make(MPI_Comm node) {
  int size = 0;
  int first = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &first);
  PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, node);
  first_on_node().resize(static_cast<std::size_t>(size));
  PMPI_Allgather(&first, 1, MPI_INT, first_on_node().data(), 1, MPI_INT, MPI_COMM_WORLD);
}

Nodes::Nodes(const std::vector<int>& world_ranks, int own) {
  const auto known = static_cast<int>(first_on_node().size());
  if (std::ranges::any_of(world_ranks, [&](int rank) { return rank < 0 || rank >= known; })) return;
  std::unordered_map<int, std::size_t> node_of; // by its first rank of MPI_COMM_WORLD
  for (int rank = 0; rank < static_cast<int>(world_ranks.size()); ++rank) {
    const int first = first_on_node()[static_cast<std::size_t>(world_ranks[static_cast<std::size_t>(rank)])];
    const std::size_t node = node_of.try_emplace(first, ranks_.size()).first->second;
    if (node == ranks_.size()) ranks_.emplace_back();
    if (node + 1 != ranks_.size()) in_order_ = false;
    if (rank == own) {
      own_node_ = node;
      own_index_ = ranks_[node].size();
    }
    ranks_[node].push_back(rank);
  }
  const auto [fewest, most] = std::ranges::minmax(ranks_, {}, &std::vector<int>::size);
  fewest_ = fewest.size();
  most_ = most.size();
}

} // namespace helper::transport
