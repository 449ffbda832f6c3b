// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/nodes.hpp"

#include <algorithm>
#include <unordered_map>

#include "lifetime/never_destroyed.hpp"
#include "transport/world.hpp"

namespace helper::transport {

namespace {

struct Location {
  int first; // the lowest rank of MPI_COMM_WORLD on the node
  int position;
};

// They are by rank of MPI_COMM_WORLD, and written by make(), before any other thread communicates.
using Locations = std::vector<Location>;

const Location& location(int world_rank) {
  return lifetime::sole<Locations>()[static_cast<std::size_t>(world_rank)];
}

} // namespace

void Nodes::make(const NodeRanks& node, int position) {
  const Location own{std::ranges::min(node.in_world()), position};
  Locations& all = lifetime::sole<Locations>();
  all.resize(static_cast<std::size_t>(size_of(world::comm())));
  PMPI_Allgather(&own, 2, MPI_INT, all.data(), 2, MPI_INT, world::comm());
}

int Nodes::position(int world_rank) noexcept {
  return location(world_rank).position;
}

int Nodes::first_elsewhere() noexcept {
  const Locations& all = lifetime::sole<Locations>();
  const auto found = std::ranges::find_if(all, [](const Location& of) { return of.first != 0; });
  return found == all.end() ? MPI_PROC_NULL : static_cast<int>(found - all.begin());
}

Nodes::Nodes(const std::vector<int>& world_ranks, int own) {
  const auto known = static_cast<int>(lifetime::sole<Locations>().size());
  if (std::ranges::any_of(world_ranks, [&](int rank) { return rank < 0 || rank >= known; })) return;
  std::unordered_map<int, std::size_t> node_of; // by its first rank of MPI_COMM_WORLD
  for (int rank = 0; rank < static_cast<int>(world_ranks.size()); ++rank) {
    const Location& at = location(world_ranks[static_cast<std::size_t>(rank)]);
    const std::size_t node = node_of.try_emplace(at.first, ranks_.size()).first->second;
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
