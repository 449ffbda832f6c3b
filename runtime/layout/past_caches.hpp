// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

namespace helper::layout {

/// Tells whether this processor's kind has stores that go past the caches.
#ifdef __SSE2__
inline constexpr bool can_pass_caches = true;
#else
inline constexpr bool can_pass_caches = false;
#endif

/// Copies by streaming stores, which do not fetch the lines that they write, the first and the last
/// excepted; by plain ones where there are none. The copy is visible to whoever learns of it by a release.
void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

} // namespace helper::layout
