// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>

#include "collective/selection.hpp"
#include "team/team.hpp"
#include "trace/track.hpp"

namespace helper::collective {

/// Lets the team copy `bytes` bytes from or to another process's memory with `copy(begin, end)`, which
/// returns whether the system allowed it. Blocks, lending the caller. Returns whether all has been copied.
template <class Copy>
bool run_copying(std::size_t bytes, team::Member& member, const Copy& copy) {
  if (bytes == 0) return true;
  // Whether the system has refused a copy. Only ever set, and read after the job's end, which orders it.
  std::atomic<bool> refused = false;
  const std::size_t grain = member.team().size() == 1 ? bytes : copy_grain; // nobody else copies
  member.run(trace::Stage::copy, bytes, grain, [&](std::size_t begin, std::size_t end) noexcept {
    if (!copy(begin, end)) refused.store(true, std::memory_order_relaxed);
  });
  return !refused.load(std::memory_order_relaxed);
}

} // namespace helper::collective
