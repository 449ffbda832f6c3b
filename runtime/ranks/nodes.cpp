// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/nodes.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>

#include "lifetime/never_destroyed.hpp"
#include "ranks/world.hpp"

namespace helper::ranks {

namespace {

/// The locations of all ranks. make() writes them before any other thread communicates.
Locations& locations() noexcept {
  return lifetime::sole<Locations>();
}

} // namespace

void Nodes::make(const NodeRanks& node, int position) {
  const Location own{std::ranges::min(node.in_world()), position};
  std::vector<Location> all(static_cast<std::size_t>(size_of(world::comm())));
  PMPI_Allgather(&own, 2, MPI_INT, all.data(), 2, MPI_INT, world::comm());
  locations() = Locations(all);
}

int Nodes::position(int world_rank) noexcept {
  return locations()[world_rank].position;
}

int Nodes::first_elsewhere() noexcept {
  for (int rank = 0; rank < locations().size(); ++rank) {
    if (locations()[rank].first != 0) return rank;
  }
  return MPI_PROC_NULL;
}

Nodes Nodes::of(const std::vector<int>& world_ranks, int own) {
  const int known = locations().size();
  if (std::ranges::any_of(world_ranks, [&](int rank) { return rank < 0 || rank >= known; })) return {};
  std::vector<int> node_of_rank;
  for (const int rank : world_ranks) node_of_rank.push_back(locations()[rank].first);
  return {node_of_rank, own};
}

Nodes::Nodes(const std::vector<int>& node_of_rank, int own) : size_(node_of_rank.size()) {
  std::unordered_map<int, std::size_t> found; // the nodes, by the numbers given
  std::vector<std::size_t> nodes;             // by rank
  std::vector<std::size_t> sizes;
  for (const int name : node_of_rank) {
    const std::size_t node = found.try_emplace(name, sizes.size()).first->second;
    if (node == sizes.size()) sizes.push_back(0);
    ++sizes[node];
    nodes.push_back(node);
    if (nodes.size() == static_cast<std::size_t>(own) + 1) {
      own_node_ = node;
      own_index_ = sizes[node] - 1;
    }
  }
  count_ = sizes.size();
  const auto [fewest, most] = std::ranges::minmax(sizes);
  fewest_ = fewest;
  most_ = most;
  in_order_ = std::ranges::is_sorted(nodes);
  keep(nodes);
}

void Nodes::keep(const std::vector<std::size_t>& node_of_rank) {
  const auto follows = [&](const auto& node_of) {
    std::size_t rank = 0;
    return std::ranges::all_of(node_of_rank, [&](std::size_t node) { return node == node_of(rank++); });
  };
  if (follows([this](std::size_t rank) { return rank / most_; })) return;
  if (follows([this](std::size_t rank) { return rank % count_; })) {
    distribution_ = Distribution::cyclic;
    return;
  }
  distribution_ = Distribution::arbitrary;
  std::vector<std::vector<int>> ranks(count_);
  for (std::size_t rank = 0; rank < size_; ++rank)
    ranks[node_of_rank[rank]].push_back(static_cast<int>(rank));
  for (const std::vector<int>& of_node : ranks) {
    begin_.push_back(ranks_.size());
    ranks_.insert(ranks_.end(), of_node.begin(), of_node.end());
  }
  begin_.push_back(size_);
}

std::size_t Nodes::size(std::size_t node) const noexcept {
  switch (distribution_) {
  case Distribution::block:
    return std::min(most_, size_ - node * most_);
  case Distribution::cyclic:
    return (size_ - node + count_ - 1) / count_;
  case Distribution::arbitrary:
    break;
  }
  return begin_[node + 1] - begin_[node];
}

int Nodes::rank(std::size_t node, std::size_t index) const noexcept {
  switch (distribution_) {
  case Distribution::block:
    return static_cast<int>(node * most_ + index);
  case Distribution::cyclic:
    return static_cast<int>(node + index * count_);
  case Distribution::arbitrary:
    break;
  }
  return ranks_[begin_[node] + index];
}

Nodes::NodePlace Nodes::place(int rank) const noexcept {
  const auto number = static_cast<std::size_t>(rank);
  switch (distribution_) {
  case Distribution::block:
    return {number / most_, number % most_};
  case Distribution::cyclic:
    return {number % count_, number / count_};
  case Distribution::arbitrary:
    break;
  }
  const auto at = static_cast<std::size_t>(std::ranges::find(ranks_, rank) - ranks_.begin());
  const auto node = static_cast<std::size_t>(std::ranges::upper_bound(begin_, at) - begin_.begin()) - 1;
  return {node, at - begin_[node]};
}

std::vector<int> Nodes::ranks(std::size_t node) const {
  std::vector<int> all;
  for (std::size_t index = 0; index < size(node); ++index) all.push_back(rank(node, index));
  return all;
}

/// Does what index_on_own_node() does, for a distribution other than block.
std::size_t Nodes::found_on_own_node(int rank) const noexcept {
  constexpr std::size_t elsewhere = std::numeric_limits<std::size_t>::max();
  if (distribution_ == Distribution::cyclic) {
    const NodePlace its = place(rank);
    return its.node == own_node_ ? its.index : elsewhere;
  }
  const std::span own(ranks_.data() + begin_[own_node_], size(own_node_));
  const auto at = std::ranges::lower_bound(own, rank);
  return at != own.end() && *at == rank ? static_cast<std::size_t>(at - own.begin()) : elsewhere;
}

Locations::Locations(const std::vector<Location>& by_rank) : size_(static_cast<int>(by_rank.size())) {
  std::vector<int> node_of_rank;
  for (const Location& of : by_rank) node_of_rank.push_back(of.first);
  nodes_ = Nodes::named(node_of_rank, 0);
  if (nodes_.are_regular()) {
    for (const int rank : nodes_.ranks(0))
      positions_.push_back(by_rank[static_cast<std::size_t>(rank)].position);
    int rank = 0;
    if (std::ranges::all_of(by_rank, [&](const Location& of) { return of == (*this)[rank++]; })) return;
  }
  nodes_ = {};
  positions_ = {};
  by_rank_ = by_rank;
}

Location Locations::operator[](int rank) const noexcept {
  if (!by_rank_.empty()) return by_rank_[static_cast<std::size_t>(rank)];
  const Nodes::NodePlace place = nodes_.place(rank);
  return {nodes_.rank(place.node, 0), positions_[place.index]};
}

} // namespace helper::ranks
