// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

namespace helper::shm {

/// The bytes of a block of rooms.
inline constexpr std::size_t room_block = 4096;

/// Returns the distance between slots for chunks of `bytes` bytes. Slots begin on cache lines.
constexpr std::size_t slot_stride(std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  return (bytes + line - 1) / line * line;
}

/// The bytes that a process wants in the node's arena.
struct Wanted {
  std::size_t staging; ///< bytes for messages, and for whole slots
  std::size_t chunk;   ///< bytes of a slot
  std::size_t rooms;   ///< bytes

  /// Returns the bytes of staging, rooms, and control blocks together; 0 if staging is 0.
  std::size_t total() const noexcept;
};

/// The uses of a process's part of the arena, in this order.
struct Division {
  std::size_t messages; ///< bytes
  std::size_t control_blocks;
  std::size_t rooms; ///< bytes
  std::size_t chunk; ///< bytes of a slot; slots fill the rest of the part

  /// Returns the offset of the rooms, in bytes.
  std::size_t begin_of_rooms() const noexcept;
  std::size_t begin_of_slots() const noexcept { return begin_of_rooms() + rooms; }
};

/// Divides a part of `bytes` bytes, of which `messages` are for messages. If the part is smaller than wanted,
/// since the node has many ranks, there are fewer control blocks and smaller slots, down to a minimum. Rooms
/// get at most what four slots leave. In parts of the same size, messages and control blocks have the same
/// offsets.
Division divide_arena(std::size_t bytes, std::size_t messages, const Wanted& wanted) noexcept;

} // namespace helper::shm
