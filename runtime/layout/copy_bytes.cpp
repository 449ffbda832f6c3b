// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/copy_bytes.hpp"

#ifdef __SSE2__

#include <emmintrin.h>

namespace helper::layout {

void copy_by_registers(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  constexpr std::size_t width = sizeof(__m128i);
  const auto load = [&](std::size_t at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + at));
  };
  const auto store = [&](std::size_t at, __m128i value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target + at), value);
  };
  std::size_t at = 0;
  for (; at + 4 * width <= bytes; at += 4 * width) {
    // Loads come first: a core delays a load after a recent store to the same offset in another page.
    const __m128i first = load(at);
    const __m128i second = load(at + width);
    const __m128i third = load(at + 2 * width);
    const __m128i fourth = load(at + 3 * width);
    store(at, first);
    store(at + width, second);
    store(at + 2 * width, third);
    store(at + 3 * width, fourth);
  }
  std::copy_n(source + at, bytes - at, target + at);
}

} // namespace helper::layout

#endif
