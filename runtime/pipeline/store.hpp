// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "pipeline/copy_past_caches.hpp"
#include "pipeline/stream.hpp"

namespace helper::pipeline {

/// Results of so many bytes or more are written past the caches, which they would only clear. An allreduce of
/// 4 MiB at 2 ranks, the data in memory of MPI_Alloc_mem: 184 to 330 us by plain stores, 350 to 400 past the
/// caches; elsewhere 530 to 600 and 610 to 780. At 8 MiB 1600 to 2000 and 1470 to 1720.
inline constexpr std::size_t past_caches_least = std::size_t{8} * 1024 * 1024;

/// Whether bytes are written to the user's buffer past the caches.
inline bool goes_past_caches(const Stream& to) noexcept {
  return to.is_dense() && to.size() >= past_caches_least;
}

/// Where in the user's buffer bytes of the stream may be made, from byte `begin` on; nullptr where they must
/// be made elsewhere for store().
inline std::byte* target(const Stream& to, std::size_t begin) noexcept {
  return to.is_dense() && !goes_past_caches(to) ? to.dense() + begin : nullptr;
}

/// Puts bytes into the user's buffer, from byte `begin` of the stream on; past the caches if it is large.
inline void store(const Stream& to, std::size_t begin, std::size_t bytes, const std::byte* packed) noexcept {
  if (goes_past_caches(to)) {
    copy_past_caches(to.dense() + begin, packed, bytes);
  } else {
    to.unpack(begin, begin + bytes, packed);
  }
}

} // namespace helper::pipeline
