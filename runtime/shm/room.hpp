// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace helper::shm {

/// Blocks of a circular buffer in this process's part of the arena, for data that other ranks read. The
/// destructor gives the blocks back. An operation leases the blocks that have been unused for longest.
///
/// That makes plain stores faster. A store to a cache line that is still in the reader's caches must fetch
/// the line from there. When all other blocks have been used, the line has moved to a cache that writer and
/// reader share. buffer_bytes() returns the best size.
class Room {
public:
  /// Returns the best size of the buffer for this much second-level cache (0: unknown). The
  /// blocks that a core writes and reads then exceed that cache. A larger buffer would leave the caches.
  static constexpr std::size_t buffer_bytes(std::size_t second_level_cache) noexcept {
    constexpr std::size_t usual = std::size_t{1024} * 1024;
    return (second_level_cache == 0 ? usual : std::min(second_level_cache, usual)) / 4 * 3;
  }
  /// Returns whether an operation of `bytes` bytes benefits from a room: they exceed a block, and the buffer
  /// has space for several such operations. Any thread may call it.
  static bool pays(std::size_t bytes) noexcept;

  /// Makes an object without blocks.
  Room() noexcept = default;
  /// Leases blocks for `bytes` bytes, or none if there are not enough free ones. Any thread may call it.
  explicit Room(std::size_t bytes) noexcept;
  Room(Room&& other) noexcept : first_(other.first_), blocks_(std::exchange(other.blocks_, 0)) {}
  Room& operator=(Room&& other) noexcept {
    Room taken(std::move(other));
    std::swap(first_, taken.first_);
    std::swap(blocks_, taken.blocks_);
    return *this;
  }
  ~Room();

  /// Returns the address of the first block; nullptr if the object has none.
  std::byte* data() const noexcept;

  /// Keeps the destructor from giving the blocks back, since other ranks may still read there.
  void keep() noexcept { blocks_ = 0; }

private:
  std::size_t first_ = 0; // index of a block
  std::size_t blocks_ = 0;
};

/// The circular buffer of this process. Any thread may use it after divide().
class RoomBuffer {
public:
  /// Makes bytes [begin, begin + bytes) of this process's part of the arena the buffer, at MPI_Init.
  void divide(std::size_t begin, std::size_t bytes);

private:
  friend Room;
  std::mutex mutex_;         // guards what follows
  std::size_t begin_ = 0;    // offset in the process's part of the arena
  std::vector<char> leased_; // whether each block is leased; the size changes in divide() only
  std::size_t next_ = 0;     // the first block to try next
};

} // namespace helper::shm
