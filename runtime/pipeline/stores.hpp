// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "layout/copy_bytes.hpp"
#include "layout/past_caches.hpp"
#include "lifetime/thread_block.hpp"

namespace helper::pipeline {

/// These are ways to write memory that another processor has read and will read. A plain store first fetches
/// the line from wherever it is, which from a processor that shares no cache with this one runs at 3 GB/s. A
/// streaming store goes past the caches, always at 29 GB/s, but then the reader finds the line in memory, at
/// 19 GB/s, and not in a cache, at 45.
enum class Stores : std::uint8_t { plain, streaming };

/// With fewer bytes it hardly matters.
inline constexpr std::size_t least_streamed = 2048;

/// Returns the faster ones for so many bytes, writing and reading together. Allreduces at 2 ranks
/// took 1.1, 1.5, 2.2, 3.2 and 12 us by streaming stores, and 1.9, 3.4, 5.4, 11 and 32 by plain ones, for 2,
/// 4, 8, 16 and 64 KiB on processors that share no cache; 0.9, 1.3, 2.2, 3.2 and 12, and 0.6, 1.0, 1.4, 2.5
/// and 10, where they do.
/// (`bench/run --stores` compares them.)
constexpr Stores stores_of(std::size_t bytes, bool shares_cache) noexcept {
  return shares_cache || bytes < least_streamed ? Stores::plain : Stores::streaming;
}

/// Copies by the stores of a choice. The caller calls layout::order_past_caches() after the last copy.
inline void copy_unordered(std::byte* target, const std::byte* source, std::size_t bytes,
                           Stores stores) noexcept {
  if (stores == Stores::streaming) {
    layout::stream_past_caches(target, source, bytes);
  } else {
    layout::copy_bytes(target, source, bytes);
  }
}

/// Copies by the stores of a choice.
inline void copy(std::byte* target, const std::byte* source, std::size_t bytes, Stores stores) noexcept {
  copy_unordered(target, source, bytes, stores);
  if (stores == Stores::streaming) layout::order_past_caches();
}

/// Packs bytes [begin, end) of `data`, which has a function pack(begin, end, packed), to where another core
/// has read before. A store of part of a line fetches the line from there first: at 2 GB/s between cores that
/// share no cache. So the bytes are packed in pieces that stay in the first-level cache, and
/// `copy(target, piece, bytes)` copies these from there by whole lines.
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
