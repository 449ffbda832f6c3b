// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace helper::shm {

class RoomBuffer;

/// Gives the blocks of a room back.
struct RoomReturn {
  RoomBuffer* buffer = nullptr;
  std::size_t blocks = 0;

  void operator()(std::byte* room) const noexcept;
};

/// A room: leased adjacent blocks of a RoomBuffer, for data that other ranks read.
using Room = std::unique_ptr<std::byte, RoomReturn>;

/// A buffer in this process's part of the arena. Any thread may call all functions but divide().
class RoomBuffer {
public:
  /// Returns the best size of a circular buffer for this much second-level cache (0: unknown). The
  /// blocks that a core writes and reads then exceed that cache. A larger buffer would leave the caches.
  static constexpr std::size_t circular_bytes(std::size_t second_level_cache) noexcept {
    constexpr std::size_t usual = std::size_t{1024} * 1024;
    return (second_level_cache == 0 ? usual : std::min(second_level_cache, usual)) / 4 * 3;
  }

  /// Makes bytes [begin, end) of the part the buffer, at MPI_Init, in blocks of `block` bytes.
  void divide(std::size_t begin, std::size_t end, std::size_t block);

  /// Leases a room of `bytes` bytes after the room that it leased before, circularly. Returns nullptr if
  /// there are not enough free blocks, or no memory for them. That makes plain stores faster. A store to a
  /// cache line that is still in the reader's caches must fetch the line from there. When all other blocks
  /// have been used, the line has moved to a cache that writer and reader share.
  Room lease_next(std::size_t bytes) noexcept;

  /// Returns whether lease_next() benefits an operation of `bytes` bytes: they exceed a block, and the buffer
  /// has space for several such operations.
  bool pays(std::size_t bytes) const noexcept;

  /// Leases up to `most` rooms of a block each, of which `bytes` bytes are used: the first free blocks, but
  /// at most half of the free ones, rounded up, so that other operations find some. A block for which the
  /// system has no memory is never leased again. Throws std::bad_alloc.
  std::vector<Room> lease_first(std::size_t most, std::size_t bytes);

  /// Returns the number of blocks that are not leased.
  std::size_t free_blocks() noexcept;

private:
  friend RoomReturn;
  std::byte* at(std::size_t block) const noexcept;
  bool provide(std::size_t block, std::size_t bytes) const noexcept;

  std::mutex mutex_;         // guards what follows
  std::size_t begin_ = 0;    // offset in the process's part of the arena
  std::size_t block_ = 1;    // bytes of a block
  std::vector<char> leased_; // whether each block is leased; the size changes in divide() only
  std::size_t next_ = 0;     // the first block to try next
};

} // namespace helper::shm
