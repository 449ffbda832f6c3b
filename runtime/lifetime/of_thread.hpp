// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <unistd.h>

#include <new>
#include <type_traits>

#include "lifetime/at_end.hpp"

namespace helper::lifetime {

/// Returns the calling thread's T; nullptr if there is no memory for it. The thread's first call makes it,
/// and the end of the thread destroys it. The main thread's T is never destroyed: destructors of static
/// objects and functions of atexit() may call MPI later. T is on the heap, because thread-local storage is
/// scarce for libraries that are loaded late.
template <class T>
T* of_thread() noexcept {
  static_assert(std::is_nothrow_default_constructible_v<T>);
  static thread_local constinit T* own = nullptr;
  if (own != nullptr) [[likely]]
    return own;
  own = new (std::nothrow) T;
  static thread_local const AtEnd at_the_end([]() noexcept {
    if (gettid() == getpid()) return;
    delete own;
    own = nullptr; // destructors that run later may make another T, which is never destroyed
  });
  static_cast<void>(at_the_end);
  return own;
}

} // namespace helper::lifetime
