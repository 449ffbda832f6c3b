// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

namespace helper::layout {

/// Whether processors of this kind have stores that bypass the caches.
#ifdef __SSE2__
inline constexpr bool can_pass_caches = true;
#else
inline constexpr bool can_pass_caches = false;
#endif

/// Copies with streaming stores, which do not fetch the lines that they write, except the first and the last.
/// Uses plain stores if there are no streaming stores. No release orders the copy before order_past_caches().
void stream_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

/// Orders the thread's streaming stores before its later stores. It waits for the memory: a thread that
/// streams several pieces calls this once, after the last.
void order_past_caches() noexcept;

/// Does both.
inline void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  stream_past_caches(target, source, bytes);
  order_past_caches();
}

} // namespace helper::layout
