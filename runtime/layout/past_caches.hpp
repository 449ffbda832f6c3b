// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

namespace helper::layout {

/// Returns whether this processor's kind has stores that go past the caches.
#ifdef __SSE2__
inline constexpr bool can_pass_caches = true;
#else
inline constexpr bool can_pass_caches = false;
#endif

/// Copies by streaming stores, which do not fetch the lines that they write, the first and the last
/// excepted; by plain ones where there are none. No release orders the copy before order_past_caches().
void stream_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

/// Orders what the thread has streamed before what it stores next. It waits for the memory: a thread that
/// streams several pieces calls this once, after the last.
void order_past_caches() noexcept;

/// Does both.
inline void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  stream_past_caches(target, source, bytes);
  order_past_caches();
}

} // namespace helper::layout
