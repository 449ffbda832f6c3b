// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "pipeline/chunks.hpp"
#include "team/team.hpp"

/// A message goes through a stream in pieces, which are chunks of it.
namespace helper::message {

/// How many pieces to do before the other side hears of them: one for each member that may take part.
inline std::size_t batch(const team::Member& member) noexcept {
  return team::Oversubscription::by_threads() ? 1 : static_cast<std::size_t>(member.team().size());
}

/// Calls `work(piece)`, a noexcept callable, for each of [begin, end), with the team. A timeline calls it
/// `stage`.
template <class Work>
void for_each_piece(team::Member& member, trace::Stage stage, std::size_t begin, std::size_t end,
                    const Work& work) noexcept {
  member.run(stage, end - begin, 1, [&work, begin](std::size_t from, std::size_t to) noexcept {
    static_assert(noexcept(work(begin)), "helpers cannot report exceptions");
    for (std::size_t piece = begin + from; piece < begin + to; ++piece) work(piece);
  });
}

} // namespace helper::message
