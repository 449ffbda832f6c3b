// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace helper::shm {

/// Blocks of a circular buffer in this process's part of the arena, for data that other ranks read. The
/// destructor gives them back. Blocks are leased in turn, so that an operation gets the blocks that have not
/// been used for longest.
///
/// That makes plain stores faster. A store to a line that the caches of the reader still hold has to fetch it
/// from there. When the buffer has come round, the line has moved to a cache that both share. buffer_bytes()
/// has the best size.
class Room {
public:
  /// Returns how large to make the buffer for processors that have this much second-level cache (0 if that is
  /// not known): it is so large that what a processor writes and what it reads do not fit in there together,
  /// and no larger, or the buffer is cold where other things happen between operations. Operations of 16 KiB
  /// by two ranks with 1 MiB each, one in three calls by native MPI, take 2.7 to 3.5 us with 2 boards
  /// in turn, 2.0 to 4 with a buffer of 512 KiB, 2.0 to 2.6 with 768, 2.1 to 3.2 with 1 MiB, 1.9 to 2.2 with
  /// 2 MiB and 1.8 to 3.1 with 3 MiB; those of 8 KiB take 1.8 to 2.1, 1.3 to 1.4, 1.3 to 1.5, 1.4 to 1.9, and
  /// twice 2.1 to 2.5. With 2 MiB each more than for 1 MiB gains nothing, and is colder: four allreduces of
  /// 256 KiB after other things take 30 us with 768 KiB, 32 with 1.5 MiB.
  static constexpr std::size_t buffer_bytes(std::size_t second_level_cache) noexcept {
    constexpr std::size_t usual = std::size_t{1024} * 1024;
    return (second_level_cache == 0 ? usual : std::min(second_level_cache, usual)) / 4 * 3;
  }
  /// Makes bytes [begin, begin + bytes) of this process's part of the arena the buffer. It is called at
  /// MPI_Init, once the arena is made.
  static void start(std::size_t begin, std::size_t bytes);

  /// Returns whether an operation of `bytes` bytes is to take room: there is enough for several, and fewer
  /// bytes are as fast always in the same place. Any thread may call it.
  static bool pays(std::size_t bytes) noexcept;

  /// Makes an object without room.
  Room() noexcept = default;
  /// Takes room for `bytes` bytes, or none if there is none left. Any thread may call it.
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
