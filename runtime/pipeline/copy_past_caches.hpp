// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "pipeline/stores.hpp"

namespace helper::pipeline {

/// Copies by streaming stores, which do not fetch the lines that they write, the first and the last
/// excepted. The copy is visible to whoever learns of it by a release.
void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

/// Copies by the stores of a choice.
inline void copy(std::byte* target, const std::byte* source, std::size_t bytes, Stores stores) noexcept {
  if (stores == Stores::streaming) {
    copy_past_caches(target, source, bytes);
  } else {
    std::memcpy(target, source, bytes);
  }
}

/// Packs bytes [begin, end) of `data`, which has a function pack(begin, end, packed), to where another core
/// has read before. A store of part of a line fetches the line from there first: at 2 GB/s between cores that
/// share no cache. So the bytes are packed in pieces that stay in the first-level cache, and
/// `copy(target, piece, bytes)` copies these from there by whole lines.
template <class Data, class Copy>
void pack_by_lines(const Data& data, std::size_t begin, std::size_t end, std::byte* target,
                   const Copy& copy) noexcept {
  alignas(64) std::array<std::byte, 4096> piece;
  for (std::size_t at = begin; at < end; at += piece.size()) {
    const std::size_t bytes = std::min(piece.size(), end - at);
    data.pack(at, at + bytes, piece.data());
    copy(target + (at - begin), piece.data(), bytes);
  }
}

} // namespace helper::pipeline
