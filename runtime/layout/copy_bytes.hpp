// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace helper::layout {

/// Copies as memcpy does, but by the processor's registers.
void copy_by_registers(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

/// Copies bytes to others that do not overlap with them. Null pointers of no bytes are allowed.
///
/// It is memcpy, except where that is slow. On processors with fast short `rep movsb` (FSRM), glibc's memcpy
/// takes that instruction for more than 2 KiB. AMD's run it at 3 GB/s, and not at 40, if the target lies 1 to
/// 31 bytes further behind the begin of a page than the source does. That is no rare case: large buffers from
/// malloc begin 16 bytes behind the begin of a page, and what processes share begins with one.
/// (`bench/run --costs` shows both.)
inline void copy_bytes(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
#ifdef __SSE2__
  constexpr std::size_t page = 4096;
  constexpr std::size_t least = 2048;
  const std::size_t behind =
      (reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(source)) % page;
  if (bytes > least && behind != 0 && behind < 32) return copy_by_registers(target, source, bytes);
#endif
  std::copy_n(source, bytes, target);
}

} // namespace helper::layout
