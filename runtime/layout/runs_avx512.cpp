// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/copy.hpp"

#include <immintrin.h>

namespace helper::layout {
namespace {

constexpr std::size_t width = 64;

// Returns a mask with the lowest `bytes` bits set, or all `width` bits if `bytes` is greater.
__mmask64 mask(std::size_t bytes) {
  return _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(bytes));
}

void copy_masked(void* target, const void* source, __mmask64 which) {
  _mm512_mask_storeu_epi8(target, which, _mm512_maskz_loadu_epi8(which, source));
}

// Copies up to two vectors without a branch: with irregular lengths a mispredicted branch costs more than the
// copy. Bytes that are masked out are not accessed.
void copy_short(std::byte* target, const std::byte* source, std::size_t bytes) {
  copy_masked(target, source, mask(bytes));
  copy_masked(target + width, source + width, mask(bytes > width ? bytes - width : 0));
}

template <Direction direction>
void copy(std::span<const std::ptrdiff_t> offsets, const std::size_t* begins, Address user,
          Packed<direction> packed) noexcept {
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::size_t bytes = begins[i + 1] - begins[i];
    const Address at = moved(user, offsets[i]);
    if (bytes > 2 * width)
      copy_run<direction>(packed, at, bytes);
    else if constexpr (direction == Direction::pack)
      copy_short(packed, reinterpret_cast<const std::byte*>(at), bytes);
    else
      copy_short(reinterpret_cast<std::byte*>(at), packed, bytes);
    packed += bytes;
  }
}

} // namespace

const RunKernels avx512_runs{"avx512", copy<Direction::pack>, copy<Direction::unpack>};

} // namespace helper::layout
