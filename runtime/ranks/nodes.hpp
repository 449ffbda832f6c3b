// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <vector>

#include "ranks/node_ranks.hpp"

namespace helper::ranks {

/// The ranks of a communicator, by node. All ranks have the same data, except own_node() and own_index().
class Nodes {
public:
  /// Tells all processes the node and the position of every process. `position` is this process's position:
  /// the nearer two processes of a node are to each other, the less their positions differ. Collective over
  /// MPI_COMM_WORLD, called once, at MPI_Init.
  static void make(const NodeRanks& node, int position);

  /// Returns the position of a rank of MPI_COMM_WORLD on its node. Call make() before.
  static int position(int world_rank) noexcept;

  /// Returns the lowest world rank on another node than rank 0, or MPI_PROC_NULL. Call make() before.
  static int first_elsewhere() noexcept;

  /// Makes an object without nodes: they are unknown.
  Nodes() = default;

  /// Makes the nodes of a communicator, whose rank r has rank world_ranks[r] in MPI_COMM_WORLD. `own` is this
  /// process's rank in the communicator. There are no nodes if any rank is not in MPI_COMM_WORLD.
  static Nodes of(const std::vector<int>& world_ranks, int own);

  /// Makes nodes: ranks with equal numbers in node_of_rank are on one node. `own` is this rank.
  static Nodes named(const std::vector<int>& node_of_rank, int own) { return {node_of_rank, own}; }

  /// Returns the number of nodes. Nodes are numbered in the order of their first ranks.
  std::size_t count() const noexcept { return count_; }
  /// Returns the number of ranks on a node.
  std::size_t size(std::size_t node) const noexcept;
  /// Returns the rank with that index among the ranks on a node, which are in ascending order.
  int rank(std::size_t node, std::size_t index) const noexcept;
  std::vector<int> ranks(std::size_t node) const;
  /// The fewest and the most ranks of a node.
  std::size_t fewest() const noexcept { return fewest_; }
  std::size_t most() const noexcept { return most_; }
  /// Returns whether the node of a rank can be computed from the rank, so that nothing is stored per rank.
  bool are_regular() const noexcept { return distribution_ != Distribution::arbitrary; }
  /// The node of a rank, and its index on that node.
  struct NodePlace {
    std::size_t node;
    std::size_t index;
  };
  /// Returns the place of a rank. If ranks are not regular it searches a list.
  NodePlace place(int rank) const noexcept;
  /// Returns whether there are nodes, all with the same number of ranks.
  bool are_even() const noexcept { return count_ != 0 && fewest_ == most_; }
  /// Returns whether the ranks are distributed cyclically to the nodes.
  bool is_cyclic() const noexcept { return distribution_ == Distribution::cyclic || most_ == 1; }
  /// Returns whether each node has consecutive ranks.
  bool in_order() const noexcept { return in_order_; }

  /// The node of this rank, and its index on that node.
  std::size_t own_node() const noexcept { return own_node_; }
  std::size_t own_index() const noexcept { return own_index_; }
  /// Returns the index of a rank among the ranks on this node; for other ranks, a number above all indices.
  std::size_t index_on_own_node(int rank) const noexcept {
    if (distribution_ != Distribution::block) return found_on_own_node(rank);
    return static_cast<std::size_t>(rank) - own_node_ * most_; // wraps around if the rank is on a lower node
  }

private:
  // The terms of Slurm. block: each node has the same number of consecutive ranks, except that the last node
  // may have fewer. cyclic: nodes get ranks alternately. In both cases nothing is stored per rank.
  enum class Distribution { block, cyclic, arbitrary };

  Nodes(const std::vector<int>& node_of_rank, int own);
  std::size_t found_on_own_node(int rank) const noexcept;
  void keep(const std::vector<std::size_t>& node_of_rank);

  Distribution distribution_ = Distribution::block;
  std::size_t count_ = 0;
  std::size_t size_ = 0;           // ranks
  std::vector<std::size_t> begin_; // of each node's ranks in ranks_, if the distribution is arbitrary
  std::vector<int> ranks_;
  std::size_t fewest_ = 0;
  std::size_t most_ = 0;
  bool in_order_ = true;
  std::size_t own_node_ = 0;
  std::size_t own_index_ = 0;
};

/// The place of a rank of MPI_COMM_WORLD.
struct Location {
  int first;    ///< the lowest rank on its node
  int position; ///< on its node: the nearer two ranks are to each other, the less their positions differ

  bool operator==(const Location&) const = default;
};

/// The locations of all ranks. It takes memory per rank only if nodes or positions are irregular.
class Locations {
public:
  Locations() = default;

  explicit Locations(const std::vector<Location>& by_rank);

  int size() const noexcept { return size_; }
  Location operator[](int rank) const noexcept;

private:
  int size_ = 0;
  Nodes nodes_;                   // of the ranks
  std::vector<int> positions_;    // on each node, by NodePlace::index
  std::vector<Location> by_rank_; // used instead of nodes_ and positions_ if they are irregular
};

} // namespace helper::ranks
