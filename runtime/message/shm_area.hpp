// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "message/shm_stream.hpp"
#include "shm/node_context.hpp"

/// The area of a process: where its part of the arena has the words and blocks of streams.
namespace helper::message {

using shm::arena;

inline constexpr std::size_t streams = shm::NodeState::streams;
inline constexpr std::size_t least_block_bytes = std::size_t{16} * 1024;
inline constexpr std::size_t least_blocks = 8;
inline constexpr std::size_t most_area = std::size_t{1024} * 1024;
inline constexpr std::size_t line_bytes = 64;

// Number of blocks in an area; 0 if there are no streams. Written by start().
inline std::size_t blocks_of_area = 0;

// The size of an area, equal at all processes of the node. Written by start().
inline std::size_t area_bytes = 0;

using Counter = std::atomic<std::uint64_t>;
static_assert(Counter::is_always_lock_free);

// An area has a line with what the process has shown; for each stream that it sends, a line that counts the
// pieces put; for each stream of each process of the node, one that counts the pieces taken; and blocks.
constexpr std::size_t put_line(std::size_t stream) {
  return line_bytes * (1 + stream);
}
inline std::size_t taken_line(int sender, std::size_t stream) {
  return line_bytes * (1 + streams + static_cast<std::size_t>(sender) * streams + stream);
}
// The line of a count of taken pieces also has the generation of the stream if a probe of this process holds
// its announcement. The line of the sender's last stream, which is rarely used, also has words about the
// sender: how many messages this process has announced to the sender; how many announcements of the sender
// this process has received; and whether a probe is receiving a possible announcement.
inline std::size_t held_word(int sender, std::size_t stream) {
  return taken_line(sender, stream) + sizeof(Counter);
}
enum class Word : std::size_t { announced = 2, received = 3, hesitates = 4 };
inline std::size_t word_about(int process, Word word) {
  return taken_line(process, streams - 1) + static_cast<std::size_t>(word) * sizeof(Counter);
}
inline std::size_t block_place(std::size_t block) {
  return area_bytes - (block + 1) * shm_stream::block_bytes();
}

// Parts begin as zeros, which is a valid representation of a counter.
inline Counter& own_counter(std::size_t offset) {
  return *reinterpret_cast<Counter*>(arena().own() + offset);
}
inline const Counter& counter(const std::byte* part, std::size_t offset) {
  return *reinterpret_cast<const Counter*>(part + offset);
}

// A count of pieces is generation:32 | last:1 | pieces:31. One process increases it, with release after it
// has written or read the pieces. One other process loads it with acquire, before it reads or overwrites
// them. A count of another generation belongs to an earlier stream, and counts nothing.
inline constexpr std::uint64_t last_flag = std::uint64_t{1} << 31;

inline std::uint64_t word(std::uint32_t generation, std::size_t pieces) {
  return std::uint64_t{generation} << 32 | pieces;
}
inline std::uint64_t count_of(const Counter& counter, std::uint32_t generation) {
  const std::uint64_t value = counter.load(std::memory_order_acquire);
  return value >> 32 == generation ? value & 0xFFFFFFFF : 0;
}
inline std::size_t pieces_of(std::uint64_t count) {
  return count & (last_flag - 1);
}

} // namespace helper::message
