// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/past_caches.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace helper::layout {

#ifdef __SSE2__

void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  const std::size_t to_line = -reinterpret_cast<std::uintptr_t>(target) % line;
  std::size_t at = std::min(to_line, bytes);
  std::memcpy(target, source, at);
  for (; at + line <= bytes; at += line) {
    for (std::size_t part = at; part < at + line; part += sizeof(__m128i)) {
      const __m128i value = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + part));
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + part), value);
    }
  }
  std::memcpy(target + at, source + at, bytes - at);
  _mm_sfence(); // streaming stores are ordered by no release
}

#else

void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  std::memcpy(target, source, bytes);
}

#endif

} // namespace helper::layout
