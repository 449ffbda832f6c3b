// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "layout/copy_bytes.hpp"
#include "layout/past_caches.hpp"
#include "lifetime/thread_block.hpp"

namespace helper::pipeline {

/// Ways to write memory that another core reads. A plain store first fetches the cache line, slowly if the
/// cores share no cache. A streaming store bypasses the caches, so the reader fetches the line from memory.
enum class Stores : std::uint8_t { plain, streaming };

/// For fewer bytes than this, the kind of store hardly matters.
inline constexpr std::size_t least_streamed = 2048;

/// Returns the stores with which writing and reading `bytes` bytes takes least time in total: streaming
/// stores if the cores share no cache, plain stores for other cores and for small data.
constexpr Stores stores_of(std::size_t bytes, bool shares_cache) noexcept {
  return shares_cache || bytes < least_streamed ? Stores::plain : Stores::streaming;
}

/// Copies with the chosen stores. The caller calls layout::order_past_caches() after the last copy.
inline void copy_unordered(std::byte* target, const std::byte* source, std::size_t bytes,
                           Stores stores) noexcept {
  if (stores == Stores::streaming) {
    layout::stream_past_caches(target, source, bytes);
  } else {
    layout::copy_bytes(target, source, bytes);
  }
}

/// Copies with the chosen stores, and orders them before later stores of this thread.
inline void copy(std::byte* target, const std::byte* source, std::size_t bytes, Stores stores) noexcept {
  copy_unordered(target, source, bytes, stores);
  if (stores == Stores::streaming) layout::order_past_caches();
}

/// Packs bytes [begin, end) of `data` to memory that another core has read. A store to a part of a line would
/// fetch the line from that core. So the function packs pieces that stay in the first-level cache, and
/// `copy(target, piece, bytes)` copies them in whole lines.
template <class Data, class Copy>
void pack_by_lines(const Data& data, std::size_t begin, std::size_t end, std::byte* target,
                   const Copy& copy) noexcept {
  lifetime::ThreadBlock<4096> piece;
  for (std::size_t at = begin; at < end; at += piece.size()) {
    const std::size_t bytes = std::min(piece.size(), end - at);
    data.pack(at, at + bytes, piece.data());
    copy(target + (at - begin), piece.data(), bytes);
  }
}

} // namespace helper::pipeline
