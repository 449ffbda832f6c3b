// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

namespace helper::layout {

/// Whether the processors of this build have stores that bypass the caches.
#ifdef __SSE2__
inline constexpr bool can_pass_caches = true;
#else
inline constexpr bool can_pass_caches = false;
#endif

/// Copies whole cache lines with streaming stores, which do not fetch the lines. Copies the rest with plain
/// stores; without can_pass_caches, everything. Only order_past_caches() orders the copy before later stores.
void stream_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

/// Orders the calling thread's streaming stores before its later stores. This waits for the memory. So a
/// thread that streams several pieces calls this function once, after the last piece.
void order_past_caches() noexcept;

/// Copies with stream_past_caches(), then calls order_past_caches().
inline void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  stream_past_caches(target, source, bytes);
  order_past_caches();
}

} // namespace helper::layout
