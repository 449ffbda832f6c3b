// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "ranks/communicator.hpp"

namespace helper::ranks {

/// A name in /dev/shm.
using ShmName = std::array<char, 64>;

/// Returns a name that no other file has.
ShmName unused_shm_name();

/// The processes of one node. All functions that are not noexcept are collective over these processes.
class NodeRanks {
public:
  /// Finds the processes of `all` on this node: those that see the same /dev/shm since the same boot. If any
  /// cannot tell, or does not see the others' files, uses MPI_Comm_split_type. Collective over `all`.
  explicit NodeRanks(MPI_Comm all);

  std::size_t count() const noexcept { return in_world_.size(); }
  /// Returns the index of this process among the processes of the node.
  std::size_t own() const noexcept { return own_; }
  /// Returns the ranks of the node's processes in MPI_COMM_WORLD.
  const std::vector<int>& in_world() const noexcept { return in_world_; }

  /// Returns whether `here` is true at all processes of the node.
  bool everywhere(bool here) const;

  /// Returns the minimum of `here` over the processes of the node.
  std::size_t least(std::size_t here) const;

  /// Returns `here` of each process of the node, in the order of ranks.
  template <class Value>
  std::vector<Value> gather(const Value& here) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::vector<Value> all(count());
    PMPI_Allgather(&here, sizeof(Value), MPI_BYTE, all.data(), sizeof(Value), MPI_BYTE, comm_);
    return all;
  }
  std::vector<std::string> gather(const std::string& here) const;

private:
  Communicator comm_;
  std::size_t own_ = 0;
  std::vector<int> in_world_;
};

} // namespace helper::ranks
