// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

namespace helper::process {

/// The bytes that a process would like to have in the node's arena.
struct Wanted {
  std::size_t staging; ///< its share of messages, and whole slots
  std::size_t chunk;   ///< of a slot
  std::size_t rooms;

  /// Returns the sum of these and what the windows of communicators take; the latter is nothing if there is
  /// no staging.
  std::size_t total() const noexcept;
};

/// The uses of a process's part of the arena, in their order.
struct Division {
  std::size_t messages; ///< bytes
  std::size_t frames;
  std::size_t rooms; ///< bytes
  std::size_t chunk; ///< bytes of a slot; the rest of the part is slots

  /// Returns where the rooms begin, in bytes.
  std::size_t begin_of_rooms() const noexcept;
  std::size_t begin_of_slots() const noexcept { return begin_of_rooms() + rooms; }
};

/// Divides a part of `bytes` bytes, which may be less than is wanted: the more ranks a node has, the smaller
/// is the part of each in MPI_HELPER_ARENA. Then there are fewer frames and smaller slots, down to a least
/// number and size. Rooms get the rest, for which slots are never smaller than is good. In parts of the same
/// size, messages and frames lie at the same places.
Division divide_arena(std::size_t bytes, const Wanted& wanted) noexcept;

} // namespace helper::process
