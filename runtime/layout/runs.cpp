// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/copy.hpp"

#include <vector>

namespace helper::layout {
namespace {

template <Direction direction>
void copy(std::span<const std::ptrdiff_t> offsets, const std::size_t* begins, Address user,
          Packed<direction> packed) noexcept {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    packed = with_length(begins[i + 1] - begins[i], [&](auto length) {
      return copy_run<direction>(packed, moved(user, offsets[i]), length);
    });
}

} // namespace

const RunKernels portable_runs{"portable", copy<Direction::pack>, copy<Direction::unpack>};

std::span<const RunKernels> run_kernels() {
  static const auto supported = [] {
    std::vector<RunKernels> found{portable_runs};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi2")) found.push_back(avx512_runs);
#endif
    return found;
  }();
  return supported;
}

} // namespace helper::layout
