// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace helper::layout {

/// Copies like memcpy, but through the processor's registers.
void copy_by_registers(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

/// Copies bytes. `source` and `target` do not overlap. They may be null if `bytes` is 0.
///
/// It is memcpy, except in one slow case. On processors with fast short `rep movsb` (FSRM), glibc's memcpy
/// uses that instruction above 2 KiB. On AMD processors the instruction is more than ten times slower if the
/// target is 1 to 31 bytes further from the start of its page than the source from its page. This is common:
/// large buffers of malloc start 16 bytes into a page, shared memory 0 bytes (`bench/run --costs`).
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
