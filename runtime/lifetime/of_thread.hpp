// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <new>
#include <type_traits>

namespace helper::lifetime {

/// Returns the calling thread's own T, made when the thread first asks for it, and destroyed when that ends;
/// nullptr if there is no memory for it. Destructors of static objects and functions of atexit() run after
/// the main thread's objects have been destroyed, and may call MPI: what is asked for then is made once more,
/// and stays. Of a thread's memory, of which there is little for a library that is loaded late, it takes a
/// pointer.
template <class T>
T* of_thread() noexcept {
  static_assert(std::is_nothrow_default_constructible_v<T>);
  static thread_local constinit T* own = nullptr;
  if (own != nullptr) [[likely]]
    return own;
  struct Release {
    ~Release() {
      delete own;
      own = nullptr;
    }
  };
  own = new (std::nothrow) T;
  static thread_local const Release at_the_end;
  static_cast<void>(at_the_end);
  return own;
}

} // namespace helper::lifetime
