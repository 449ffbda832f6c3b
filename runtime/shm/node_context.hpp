// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "lifetime/never_destroyed.hpp"
#include "shm/arena.hpp"
#include "shm/node_state.hpp"

namespace helper::shm {

/// The state that the processes of a node share. A process has one; a test may make more.
struct NodeContext {
  NodeState state;
  Arena arena;
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
