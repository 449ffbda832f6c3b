// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <utility>

namespace helper::observe {

/// Numbers the variables of one kind, or the categories, of MPI and of the library together. The library's
/// follow those that MPI has at the first call. Later variables of MPI come last, so that no index changes.
class Numbering {
public:
  using CountNative = int (*)(int* number);

  /// `count_native` is the PMPI_T function that counts MPI's variables, `own` the number of the library's.
  constexpr Numbering(CountNative count_native, int own) noexcept : count_native_(count_native), own_(own) {}

  int own() const noexcept { return own_; }

  /// Stores how many variables MPI and the library have together. Returns an MPI code.
  int count(int* number) noexcept;

  /// Returns whether the variable at the common index `index` is the library's, and its index for its owner.
  /// Until MPI's tool interface is initialised, returns {false, index}, so that MPI reports the error.
  std::pair<bool, int> find(int index) noexcept;

  /// Return the common index of MPI's or the library's variable `index`. The interface must be initialised.
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
