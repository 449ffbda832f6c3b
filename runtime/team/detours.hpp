// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>

/// Counts the reasons why calls for requests or small messages take a detour through the library: no thread
/// can be in a phase, calls are recorded, requests have operations, and so on. Without a reason, a call goes
/// to MPI after one test. At MPI_THREAD_MULTIPLE there always is a reason. Any thread may call the functions.
namespace helper::team::detours {

namespace detail {
// The number of reasons. The first two are that no thread can be in a phase, and that messages cannot be
// carried or always need detours. Release and acquire: a thread that finds 0 sees what happened before the
// last reason was removed. add() is relaxed: threads that need the detour synchronise with its caller.
inline constinit std::atomic<unsigned> reasons{2};
} // namespace detail

inline bool any() noexcept {
  return detail::reasons.load(std::memory_order_acquire) != 0;
}

inline void add() noexcept {
  detail::reasons.fetch_add(1, std::memory_order_relaxed);
}
inline void remove() noexcept {
  detail::reasons.fetch_sub(1, std::memory_order_release);
}

} // namespace helper::team::detours
