// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/past_caches.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace helper::layout {

#ifdef __SSE2__

namespace {

constexpr std::size_t line = 64;

// Functions that copy whole cache lines.

void stream_lines(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += sizeof(__m128i)) {
    const __m128i value = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + at));
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + at), value);
  }
}

[[gnu::target("avx512f")]] void stream_long_lines(std::byte* target, const std::byte* source,
                                                  std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += line)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + at), _mm512_loadu_si512(source + at));
}

} // namespace

void stream_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  static const auto stream = __builtin_cpu_supports("avx512f") ? stream_long_lines : stream_lines;
  const std::size_t to_line = -reinterpret_cast<std::uintptr_t>(target) % line;
  const std::size_t first = std::min(to_line, bytes);
  const std::size_t last = bytes - (bytes - first) % line;
  std::memcpy(target, source, first);
  stream(target + first, source + first, last - first);
  std::memcpy(target + last, source + last, bytes - last);
}

void order_past_caches() noexcept {
  _mm_sfence();
}

#else

void stream_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  std::memcpy(target, source, bytes);
}

void order_past_caches() noexcept {}

#endif

} // namespace helper::layout
