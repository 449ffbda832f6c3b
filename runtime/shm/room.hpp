// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace helper::shm {

/// Blocks of a circular buffer in this process's part of the arena, for data that other ranks read. The
/// destructor gives them back. Blocks are leased cyclically, so that an operation gets the blocks that have
/// been unused for longest.
///
/// That makes plain stores faster. A store to a line that the reader's caches still hold must fetch it from
/// there. When the buffer has been used up once, the line has moved to a cache that both share.
/// buffer_bytes() returns the best size.
class Room {
public:
  /// Returns the best size of the buffer for this much second-level cache (0: unknown): so large that what a
  /// processor writes and reads does not fit there together, and no larger, so that it does not become cold.
  static constexpr std::size_t buffer_bytes(std::size_t second_level_cache) noexcept {
    constexpr std::size_t usual = std::size_t{1024} * 1024;
    return (second_level_cache == 0 ? usual : std::min(second_level_cache, usual)) / 4 * 3;
  }
  /// Makes bytes [begin, begin + bytes) of this process's part of the arena the buffer, at MPI_Init.
  static void start(std::size_t begin, std::size_t bytes);

  /// Returns whether an operation of `bytes` bytes shall use a room: there is space for several, and it is
  /// large enough to benefit from it. Any thread may call it.
  static bool pays(std::size_t bytes) noexcept;

  /// Makes an object without room.
  Room() noexcept = default;
  /// Leases room for `bytes` bytes, or none if none is free. Any thread may call it.
  explicit Room(std::size_t bytes) noexcept;
  Room(Room&& other) noexcept : first_(other.first_), blocks_(std::exchange(other.blocks_, 0)) {}
  Room& operator=(Room&& other) noexcept {
    Room taken(std::move(other));
    std::swap(first_, taken.first_);
    std::swap(blocks_, taken.blocks_);
    return *this;
  }
  ~Room();

  /// Returns where the room begins; nullptr if there is none.
  std::byte* data() const noexcept;

  /// Never gives the room back: others may still read there.
  void keep() noexcept { blocks_ = 0; }

private:
  std::size_t first_ = 0; // block
  std::size_t blocks_ = 0;
};

} // namespace helper::shm
