// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>

#include "team/team.hpp"

namespace helper::message {

/// A message cut into pieces, of which the last may be shorter.
struct Pieces {
  std::size_t total; ///< bytes
  std::size_t bytes; ///< of a piece

  std::size_t count() const noexcept { return (total + bytes - 1) / bytes; }
  std::size_t begin(std::size_t piece) const noexcept { return piece * bytes; }
  std::size_t end(std::size_t piece) const noexcept { return std::min(total, (piece + 1) * bytes); }
};

/// How many pieces to do before the other side hears of them: one for each member that may take part.
inline std::size_t batch(const team::Member& member) noexcept {
  return team::Crowd::too_many() ? 1 : static_cast<std::size_t>(member.team().size());
}

/// Calls `work(piece)`, a noexcept callable, for each of [begin, end), with the team; `stage` is what a
/// timeline calls it.
template <class Work>
void for_each_piece(team::Member& member, trace::Stage stage, std::size_t begin, std::size_t end,
                    const Work& work) noexcept {
  static_assert(noexcept(work(begin)), "helpers cannot report exceptions");
  struct Context {
    const Work& work;
    std::size_t first;
  } context{work, begin};
  const auto run = [](void* self, std::size_t from, std::size_t to) noexcept {
    const auto& [call, first] = *static_cast<const Context*>(self);
    for (std::size_t piece = first + from; piece < first + to; ++piece) call(piece);
  };
  member.run({run, &context, end - begin, 1, stage});
}

} // namespace helper::message
