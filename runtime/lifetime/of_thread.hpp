// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <unistd.h>

#include <new>
#include <type_traits>

namespace helper::lifetime {

/// Returns the calling thread's own T, made when the thread first asks for it, and destroyed when that ends;
/// nullptr if there is no memory for it. The main thread's stays: destructors of static objects and functions
/// of atexit(), which may call MPI, run after what is destroyed with that thread. Of a thread's memory, of
/// which there is little for a library that is loaded late, it takes a pointer.
template <class T>
T* of_thread() noexcept {
  static_assert(std::is_nothrow_default_constructible_v<T>);
  static thread_local constinit T* own = nullptr;
  if (own != nullptr) [[likely]]
    return own;
  struct Release {
    ~Release() {
      if (gettid() == getpid()) return;
      delete own;
      own = nullptr; // a destructor of the thread's that comes later has one made, which stays
    }
  };
  own = new (std::nothrow) T;
  static thread_local const Release at_the_end;
  static_cast<void>(at_the_end);
  return own;
}

} // namespace helper::lifetime
