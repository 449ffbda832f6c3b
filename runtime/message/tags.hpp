// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

#include "transport/world.hpp"

/// The tags of messages on the private duplicate of MPI_COMM_WORLD. MPI guarantees tags of 15 bits.
namespace helper::message::tags {

/// The tag of what MPI sends of a stream through shared memory, of which there are 16. It is not that of the
/// stream's last generations, of which something may be left that nobody received.
constexpr int of_shm_stream(std::uint32_t stream, std::uint32_t generation) {
  constexpr std::uint32_t generations = 1024;
  return static_cast<int>(stream * generations + generation % generations);
}

/// The tag of messages that say that a process understands an RTS.
inline constexpr int ready = 16 * 1024;

/// One of all other tags, for the pieces of a stream of messages, or for a message to oneself. It is drawn
/// again only after all others, since what it was drawn for may be received late. Any thread may call it.
inline int draw() {
  static const auto others =
      static_cast<std::uint32_t>(transport::world::largest_tag(transport::world::comm()) - ready);
  static constinit std::atomic<std::uint32_t> drawn{0}; // orders nothing
  return ready + 1 + static_cast<int>(drawn.fetch_add(1, std::memory_order_relaxed) % others);
}

} // namespace helper::message::tags
