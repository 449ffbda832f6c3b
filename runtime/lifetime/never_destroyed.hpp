// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace helper::lifetime {

/// Returns the only T of the process. It is never destroyed, because threads may use it until the process
/// ends. The first call makes it, without allocation: callers may be noexcept. Any thread may call it.
template <class T>
T& sole() noexcept {
  static_assert(std::is_nothrow_default_constructible_v<T>, "who comes first cannot report what it throws");
  alignas(T) static std::byte memory[sizeof(T)];
  [[maybe_unused]] static const bool is_made = (::new (static_cast<void*>(memory)) T(), true);
  return *std::launder(reinterpret_cast<T*>(memory));
}

} // namespace helper::lifetime
