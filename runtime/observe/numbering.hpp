// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <utility>

namespace helper::observe {

/// A common numbering of MPI's variables of a kind, or its categories, and the library's, which follow those
/// that MPI has at the first call. What MPI adds later comes after them, so that no index ever changes.
class Numbering {
public:
  using CountNative = int (*)(int* number);

  /// `count_native` is the PMPI_T function, `own` the number of the library's variables.
  constexpr Numbering(CountNative count_native, int own) noexcept : count_native_(count_native), own_(own) {}

  int own() const noexcept { return own_; }

  /// Stores how many there are of MPI's and the library's together. Returns an MPI code.
  int count(int* number) noexcept;

  /// Returns whether the library's variable is at `index`, and its index among these, or among MPI's. Until
  /// MPI's tool interface is initialised, MPI gets all and returns the error.
  std::pair<bool, int> find(int index) noexcept;

  /// Return the common index of MPI's or the library's number `index`, while the interface is initialised.
  int index_of_native(int index) noexcept;
  int index_of_own(int index) noexcept;

private:
  int first_own(int native) noexcept;

  const CountNative count_native_;
  const int own_;
  // The index of the library's first variable, or -1 before MPI was asked. Written once; orders nothing else.
  std::atomic<int> first_own_{-1};
};

Numbering& control_variables();
Numbering& performance_variables();
Numbering& categories(); ///< the library's only category is number 0

/// Returns whether MPI's tool interface is initialised.
bool is_initialised() noexcept;

} // namespace helper::observe
