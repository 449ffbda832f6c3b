// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ranks/node_ranks.hpp"

namespace helper::shm {

/// Memory that the processes of a node share. Each has one part, which only it writes and all others read.
///
/// Each part is a segment that only processes of the same user can read. See segment::SegmentKind for files
/// that may remain. Segments are never unmapped, since threads may communicate until the process ends. Any
/// thread may call the functions except make() and clear(). Other threads communicate only after make().
class Arena {
public:
  /// Makes the parts of all processes of the node, of up to `bytes` bytes each. Together they take at most
  /// half of segment::room(). Collective over `node`, called once. If any process cannot share memory, none
  /// has a part. Backs the first `at_once` bytes of a part with memory; provide() does so for the rest.
  void make(const ranks::NodeRanks& node, std::size_t bytes,
            std::size_t at_once = std::numeric_limits<std::size_t>::max());

  /// Gets memory for bytes [offset, offset + bytes) of this process's part. Call it before these bytes are
  /// written or shown. If there is no memory, returns false: do not touch the bytes. Any thread may call it.
  bool provide(std::size_t offset, std::size_t bytes) noexcept;

  /// Sets this process's part to zeros again. Called when no thread of any process communicates.
  void clear() noexcept;

  /// Return this process's part, or nullptr if it has none, and the size of the part.
  std::byte* own() const noexcept { return own_; }
  std::size_t size() const noexcept { return size_; }

  /// Returns whether `bytes` bytes from `offset` on are within a part. For values that another process sent.
  bool holds(std::size_t offset, std::size_t bytes) const noexcept {
    return offset <= size_ && bytes <= size_ - offset;
  }

  /// Returns the part of a rank of MPI_COMM_WORLD, mapped here; nullptr if the rank has none on this node.
  const std::byte* part(int world_rank) const noexcept;

  /// The number of processes of this node that have a part, and the index of this process among them.
  int parts() const noexcept { return static_cast<int>(parts_.size()); }
  int own_index() const noexcept { return own_index_; }

  /// Returns the index of a rank of MPI_COMM_WORLD, which must have a part, among those that have one.
  int index(int world_rank) const noexcept { return parts_.at(world_rank).second; }

private:
  static constexpr std::size_t piece_bytes = std::size_t{32} * 1024; // whole pages

  std::byte* own_ = nullptr;
  // Whether a piece of the own part is backed by memory. Set once, after the system has provided the piece.
  // Relaxed: the system call orders accesses to the piece, and two threads may both request it.
  std::vector<std::atomic<bool>> is_there_;
  std::size_t size_ = 0;
  int own_index_ = 0;
  // By rank of MPI_COMM_WORLD. first: the part's address; second: its index.
  std::unordered_map<int, std::pair<const std::byte*, int>> parts_;
};

} // namespace helper::shm
