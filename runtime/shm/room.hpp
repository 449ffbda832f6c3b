// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace helper::shm {

/// A buffer in this process's part of the arena, from which operations lease rooms: adjacent blocks for data
/// that other ranks read. Any thread may call all functions but divide().
class RoomBuffer {
public:
  /// Returns the best size of a circular buffer for this much second-level cache (0: unknown). The
  /// blocks that a core writes and reads then exceed that cache. A larger buffer would leave the caches.
  static constexpr std::size_t circular_bytes(std::size_t second_level_cache) noexcept {
    constexpr std::size_t usual = std::size_t{1024} * 1024;
    return (second_level_cache == 0 ? usual : std::min(second_level_cache, usual)) / 4 * 3;
  }

  /// Makes bytes [begin, end) of the part the buffer, at MPI_Init, in blocks of `block` bytes. In a circular
  /// buffer a room follows the one that was leased before; in others it has the first free blocks.
  ///
  /// Circular buffers make plain stores faster. A store to a cache line that is still in the reader's caches
  /// must fetch the line from there. When all other blocks have been used, the line has moved to a cache that
  /// writer and reader share.
  void divide(std::size_t begin, std::size_t end, std::size_t block, bool is_circular);

  /// Returns whether an operation of `bytes` bytes benefits from a room in a circular buffer: they exceed a
  /// block, and the buffer has space for several such operations.
  bool pays(std::size_t bytes) const noexcept;

  /// Returns the number of blocks that are not leased.
  std::size_t free_blocks() noexcept;

private:
  friend class Room;
  std::mutex mutex_;         // guards what follows
  std::size_t begin_ = 0;    // offset in the process's part of the arena
  std::size_t block_ = 1;    // bytes of a block
  std::vector<char> leased_; // whether each block is leased; the size changes in divide() only
  std::size_t next_ = 0;     // the first block to try next
  bool is_circular_ = false;
};

/// A lease of adjacent blocks of a buffer. The destructor gives them back.
class Room {
public:
  /// Makes an object without blocks.
  Room() noexcept = default;
  /// Leases blocks for `bytes` bytes, or none if there are not enough free ones, or no memory for them.
  Room(RoomBuffer& buffer, std::size_t bytes) noexcept;
  Room(Room&& other) noexcept
      : buffer_(other.buffer_), first_(other.first_), blocks_(std::exchange(other.blocks_, 0)) {}
  Room& operator=(Room other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(first_, other.first_);
    std::swap(blocks_, other.blocks_);
    return *this;
  }
  ~Room();

  /// Returns the address of the first block; nullptr if the object has none.
  std::byte* data() const noexcept;

  /// Keeps the destructor from giving the blocks back, since other ranks may still read there.
  void keep() noexcept { blocks_ = 0; }

private:
  RoomBuffer* buffer_ = nullptr;
  std::size_t first_ = 0; // index of a block
  std::size_t blocks_ = 0;
};

} // namespace helper::shm
