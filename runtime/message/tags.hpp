// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

/// The tags of what is sent on the private duplicate of MPI_COMM_WORLD. MPI guarantees tags of 15 bits.
namespace helper::message::tags {

/// Of what is sent by MPI of a stream that goes through the arena: not that of an earlier one, of which
/// something may be left that nobody received. There are 16 such streams.
constexpr int of_ring(std::uint32_t stream, std::uint32_t generation) {
  constexpr std::uint32_t generations = 1024;
  return static_cast<int>(stream * generations + generation % generations);
}
inline constexpr int first_of_chunks = 16 * 1024;

/// Of messages to oneself, and of those that say that a process is ready for announcements.
inline constexpr int to_oneself = 32767;
inline constexpr int ready = 32766;

/// Of the pieces of a stream of messages: no other's that is under way, of which leftovers::Room allows
/// fewer. Any thread.
inline int next_of_chunks() {
  static constinit std::atomic<std::uint32_t> drawn{0}; // orders nothing
  return first_of_chunks +
         static_cast<int>(drawn.fetch_add(1, std::memory_order_relaxed) % (ready - first_of_chunks));
}

} // namespace helper::message::tags
