// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "lifetime/never_destroyed.hpp"
#include "shm/arena.hpp"
#include "shm/control.hpp"
#include "shm/division.hpp"
#include "shm/node_state.hpp"
#include "shm/room.hpp"

namespace helper::shm {

/// What the processes of a node share. A process has one context; a test may make more.
struct NodeContext {
  NodeState state;
  Arena arena;
  ControlPool control;
  RoomBuffer rooms; ///< circular
  RoomBuffer slots; ///< for chunks in flight, each in a block

  /// Divides this process's part of the arena, of which nothing may be leased, when the library begins.
  void divide(const Division& division) {
    control.divide(division.messages, division.control_blocks); // gives rooms back
    rooms.divide(division.begin_of_rooms(), division.begin_of_slots(), room_block);
    slots.divide(division.begin_of_slots(), arena.size(), slot_stride(division.chunk));
  }
};

/// Return this process's context, which begin_with_all() fills, and its members. Any thread may call them.
inline NodeContext& node_context() noexcept {
  return lifetime::sole<NodeContext>();
}
inline NodeState& node_state() noexcept {
  return node_context().state;
}
inline Arena& arena() noexcept {
  return node_context().arena;
}

} // namespace helper::shm
