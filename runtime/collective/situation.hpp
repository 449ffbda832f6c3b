// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/selection.hpp"
#include "team/team.hpp"
#include "transport/peer_memory.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// That of an operation on `bytes` bytes among the ranks of a shadow.
inline Situation situation(const transport::Shadow& shadow, std::size_t bytes, bool across_nodes = false) {
  const bool has_window = shadow.window() != nullptr;
  const bool can_copy = has_window && transport::peer_memory::can_copy();
  return {bytes, shadow.size(), has_window, across_nodes, can_copy, shadow.takes_turns()};
}

/// Says for the record what carries the call that `member` is in; the last word holds.
inline void record(const team::Member& member, Algorithm algorithm) noexcept {
  member.carried_by(name(algorithm).data());
}

/// What select() chooses for the call that `member` is in, recorded.
inline Algorithm choose(const team::Member& member, Operation operation,
                        const Situation& situation) noexcept {
  const Algorithm chosen = select(operation, situation);
  record(member, chosen);
  return chosen;
}

} // namespace helper::collective
