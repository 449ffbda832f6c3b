// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "collective/selection.hpp"
#include "layout/packed_data.hpp"
#include "lifetime/thread_block.hpp"
#include "team/team.hpp"
#include "trace/track.hpp"

namespace helper::collective {

/// Lets the team copy `bytes` bytes from or to the memory of another process, with `copy(begin, end)`, which
/// returns whether the system allowed the copy. Returns whether all bytes have been copied. Blocks.
template <class Copy>
bool run_copying(std::size_t bytes, team::Member& member, const Copy& copy) {
  if (bytes == 0) return true;
  // Whether the system refused a copy; never reset. Read after the end of the job, which orders the stores.
  std::atomic<bool> refused = false;
  const std::size_t grain = member.team().size() == 1 ? bytes : copy_grain; // nobody else copies
  member.run(trace::Stage::copy, bytes, grain, [&](std::size_t begin, std::size_t end) noexcept {
    if (!copy(begin, end)) refused.store(true, std::memory_order_relaxed);
  });
  return !refused.load(std::memory_order_relaxed);
}

/// Reads bytes [begin, end) of packed data into their places in `to`, with `read(at, target, bytes)`. Returns
/// false if a read has returned false. Any thread may call it.
template <class Read>
bool read_into(const layout::PackedData& to, std::size_t begin, std::size_t end, const Read& read) noexcept {
  if (to.is_dense()) return read(begin, to.dense() + begin, end - begin);
  lifetime::ThreadBlock<std::size_t{32} * 1024> piece; // so that it stays in the first-level cache
  for (std::size_t at = begin; at < end; at += piece.size()) {
    const std::size_t bytes = std::min(piece.size(), end - at);
    if (!read(at, piece.data(), bytes)) return false;
    to.unpack(at, at + bytes, piece.data());
  }
  return true;
}

} // namespace helper::collective
