// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace helper::lifetime {

/// Holds a T for a static variable of a function. It is never destroyed, because threads may use it until the
/// process ends. It is made without allocation: the first user may be a noexcept function when memory is
/// short.
template <class T>
class NeverDestroyed {
  static_assert(std::is_nothrow_default_constructible_v<T>, "who comes first cannot report what it throws");

public:
  NeverDestroyed() noexcept { ::new (static_cast<void*>(memory_)) T(); }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(memory_)); }

private:
  alignas(T) std::byte memory_[sizeof(T)];
};

/// Returns the only T of the process, which is never destroyed. Any thread may call it.
template <class T>
T& sole() noexcept {
  static NeverDestroyed<T> instance;
  return *instance;
}

} // namespace helper::lifetime
