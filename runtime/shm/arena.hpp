// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <vector>

#include "ranks/node_ranks.hpp"

namespace helper::shm {

/// The processes of a node share this memory: each has one part, which it alone writes and all of the node
/// read.
///
/// The segments are readable by their user only; segment::SegmentKind says what may remain of them. They are
/// never unmapped, since threads may communicate until the process ends. Any thread may call the functions
/// but make() and clear(); make() is called before any other thread communicates.
class Arena {
public:
  /// Makes the node's parts, of `bytes` bytes each, or fewer: together they take no more than half of
  /// segment::room(). It is collective over `node`, and called once. Where any of its processes cannot (there
  /// is no room for shared memory, say), none has a part, and messages take its place. The first `at_once`
  /// bytes of a part are there; provide() gets the others, if the system can.
  void make(const ranks::NodeRanks& node, std::size_t bytes,
            std::size_t at_once = std::numeric_limits<std::size_t>::max());

  /// Gets memory for these bytes of this process's part, before anything of it is written, or shown to
  /// others. Returns false if the system has none: nothing of it may be touched then. Any thread may call it.
  bool provide(std::size_t offset, std::size_t bytes) noexcept;

  /// Makes this process's part zeros again. It is called when no thread of any process communicates, before
  /// all do.
  void clear() noexcept;

  /// The part of this process, or nullptr if it has none, and its size.
  std::byte* own() const noexcept { return own_; }
  std::size_t size() const noexcept { return size_; }

  /// Returns whether `bytes` bytes from `offset` on are within a part; it checks what another process says.
  bool holds(std::size_t offset, std::size_t bytes) const noexcept {
    return offset <= size_ && bytes <= size_ - offset;
  }

  /// Returns the part of a rank of MPI_COMM_WORLD as this process sees it; nullptr if the rank is on another
  /// node or has none.
  const std::byte* part(int world_rank) const noexcept;

  /// The number of processes of this node that have a part, and the index of this process among them.
  int parts() const noexcept { return static_cast<int>(parts_.size()); }
  int own_index() const noexcept { return own_index_; }

  /// Returns which of the processes that have a part a rank of MPI_COMM_WORLD is, if it has one.
  int index(int world_rank) const noexcept { return parts_.at(world_rank).index; }

private:
  struct OwnPart {
    const std::byte* address;
    int index;
  };

  static constexpr std::size_t piece_bytes = std::size_t{32} * 1024; // whole pages

  std::byte* own_ = nullptr;
  // Whether a piece of the own part is there. It is set once, after that; relaxed, since it is the system
  // that orders that, and two threads may both get a piece.
  std::vector<std::atomic<bool>> is_there_;
  std::size_t size_ = 0;
  int own_index_ = 0;
  std::unordered_map<int, OwnPart> parts_; // by rank of MPI_COMM_WORLD
};

} // namespace helper::shm
