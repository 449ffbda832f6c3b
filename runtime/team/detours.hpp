// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>

/// The reasons why calls for requests and small messages may mean more than MPI's functions: no thread can be
/// in a phase, calls are recorded, requests have operations, and so on. Without any, such a call takes one
/// look here and goes to MPI, in which there is one thread at a time. Any thread may call these functions.
namespace helper::team::detours {

namespace detail {
// How many there are. The first two are that no thread can be in a phase, and that messages cannot be carried
// or always need detours. Release and acquire: a thread that finds none sees what came before the last was
// removed. A thread that adds one has synchronised with the threads that it matters to.
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
