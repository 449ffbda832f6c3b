// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>

#include "interpose/name.hpp"

/// Calls that are only forwarded go to MPI through separate pointers. In the shared library PMPI_X is a jump
/// through a pointer (tools/entries.S), and an additional jump would be noticeable in such calls.
namespace helper::interpose {

/// An entry in the list of these pointers. The shared library sets them once it knows the functions of MPI.
struct DirectPointer {
  DirectPointer(const char* function, void (*setter)(void*)) noexcept
      : name(function), set(setter), next(first) {
    first = this;
  }

  const char* const name; ///< "MPI_X"
  void (*const set)(void* native);
  const DirectPointer* const next;

  // Objects add themselves to the list while the library is loaded.
  static inline constinit const DirectPointer* first = nullptr;
};

template <auto Native>
class Mapped;

template <class... Arguments, int (*Native)(Arguments...)>
class Mapped<Native> {
public:
  [[gnu::always_inline]] static int call(Arguments... arguments) {
    static_cast<void>(&listed); // instantiates it
    return pointer.load(std::memory_order_relaxed)(arguments...);
  }

private:
  using Pointer = int (*)(Arguments...);

  // Relaxed: either value leads to the same function, which exists from the beginning.
  static inline constinit std::atomic<Pointer> pointer{Native};
  static inline const DirectPointer listed{
      name_of<Native>,
      [](void* native) { pointer.store(reinterpret_cast<Pointer>(native), std::memory_order_relaxed); }};
};

/// If the user wants advice, calls `replace(name, function)` for each intercepted function, "MPI_X", that is
/// measured: `function` calls the native one and records the time.
void measure_if_wanted(void (*replace)(const char* name, void* function));

} // namespace helper::interpose
