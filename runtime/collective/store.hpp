// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/selection.hpp"
#include "pipeline/copy_past_caches.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// Whether bytes are written to the user's buffer past the caches.
inline bool goes_past_caches(const pipeline::Stream& to) noexcept {
  return to.is_dense() && to.size() >= past_caches_least;
}

/// Where in the user's buffer bytes of the stream may be made, from byte `begin` on; nullptr where they must
/// be made elsewhere for store().
inline std::byte* target(const pipeline::Stream& to, std::size_t begin) noexcept {
  return to.is_dense() && !goes_past_caches(to) ? to.dense() + begin : nullptr;
}

/// Puts bytes into the user's buffer, from byte `begin` of the stream on; past the caches if it is large.
inline void store(const pipeline::Stream& to, std::size_t begin, std::size_t bytes,
                  const std::byte* packed) noexcept {
  if (goes_past_caches(to)) {
    pipeline::copy_past_caches(to.dense() + begin, packed, bytes);
  } else {
    to.unpack(begin, begin + bytes, packed);
  }
}

/// A chunk's worth of that.
struct StoreJob {
  static constexpr trace::Stage stage = trace::Stage::unpack;
  const pipeline::Stream* to = nullptr;
  std::size_t offset = 0;
  const std::byte* packed = nullptr;

  void operator()(std::size_t begin, std::size_t end) noexcept {
    store(*to, offset + begin, end - begin, packed + begin);
  }
};

} // namespace helper::collective
