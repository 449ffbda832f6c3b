// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/selection.hpp"
#include "transport/peer_memory.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// That of an operation on `bytes` bytes among the ranks of a shadow.
inline Situation situation(const transport::Shadow& shadow, std::size_t bytes, bool across_nodes = false) {
  const bool has_window = shadow.window() != nullptr;
  const bool can_copy = has_window && transport::peer_memory::can_copy();
  return {bytes, shadow.size(), has_window, across_nodes, can_copy, shadow.takes_turns()};
}

} // namespace helper::collective
