// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <utility>

namespace helper::transport {

/// Room in this process's part of the node's arena for what other ranks read: some blocks of a circular
/// buffer, given back on destruction. Blocks are leased in turn, so that those of the next operation are the
/// ones that have not been used for longest.
///
/// That makes plain stores faster. A store to a line that the reader's own caches still hold has to take it
/// from there; by the time the buffer has come round, the line has gone to a cache that both share. 16 KiB
/// shown and read by each of two processors that share their third-level cache take 2.4 to 3.2 us where up to
/// 512 KiB go round, and 1.0 to 1.2 where 2 MiB do. See buffer_bytes() for how much is best.
class Room {
public:
  /// How large to make the buffer for processors that have so much second-level cache, 0 if that is not
  /// known: so large that what a processor writes and what it reads do not fit in there together, and no
  /// larger, or the buffer is cold where other things happen between operations. 16 KiB by two ranks with 1
  /// MiB each, one in three calls by MPICH or Open MPI: 2 slots in turn 2.7 to 3.5 us, a buffer of 512
  /// KiB 2.0 to 4, of 768 2.0 to 2.6, of 1 MiB 2.1 to 3.2, of 2 MiB 1.9 to 2.2 and of 3 MiB 1.8 to 3.1; 8
  /// KiB 1.8 to 2.1, 1.3 to 1.4, 1.3 to 1.5, 1.4 to 1.9, and twice 2.1 to 2.5.
  static constexpr std::size_t buffer_bytes(std::size_t second_level_cache) noexcept {
    constexpr std::size_t usual = std::size_t{1024} * 1024;
    return (second_level_cache == 0 ? usual : second_level_cache) / 4 * 3;
  }

  /// Makes bytes [begin, begin + bytes) of this process's part of the arena the buffer. At MPI_Init, once the
  /// arena is made.
  static void start(std::size_t begin, std::size_t bytes);

  /// Whether an operation of so many bytes is to take room: there is enough for several, and fewer are as
  /// fast always in the same place. Any thread.
  static bool pays(std::size_t bytes) noexcept;

  /// How many operations of so many bytes, or up to twice as many, there are at most until the buffer has
  /// come round; 1 if they take no room. The same for all sizes of as many bits. Any thread.
  static unsigned turns(std::size_t bytes) noexcept;

  /// None.
  Room() noexcept = default;
  /// For `bytes` bytes; none if there is none left. Any thread.
  explicit Room(std::size_t bytes) noexcept;
  Room(Room&& other) noexcept : first_(other.first_), blocks_(std::exchange(other.blocks_, 0)) {}
  Room& operator=(Room&& other) noexcept {
    Room taken(std::move(other));
    std::swap(first_, taken.first_);
    std::swap(blocks_, taken.blocks_);
    return *this;
  }
  ~Room();

  /// nullptr if it is none.
  std::byte* data() const noexcept;

  /// Never gives it back: others may read there for good.
  void keep() noexcept { blocks_ = 0; }

private:
  std::size_t first_ = 0; // block
  std::size_t blocks_ = 0;
};

} // namespace helper::transport
