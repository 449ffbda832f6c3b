// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <optional>

namespace helper::observe {

/// Gives MPI's own variables of a kind, or its categories, and the library's one numbering. The library's
/// stand behind those that MPI has when it is first asked; what MPI adds later stands behind them, so that no
/// index ever changes.
class Numbering {
public:
  using CountNative = int (*)(int* number);

  /// Makes a numbering: `count_native` is the PMPI_T function; `own` is how many the library has.
  constexpr Numbering(CountNative count_native, int own) noexcept : count_native_(count_native), own_(own) {}

  int own() const noexcept { return own_; }

  /// Stores how many there are, of both, as MPI's functions of this kind say it, and returns a code of MPI's.
  int count(int* number) noexcept;

  struct VariablePlace {
    bool is_own;
    int index; ///< among MPI's, or the library's
  };
  /// Returns what stands at `index`. While MPI's tool interface is not initialised all are MPI's, which says
  /// so.
  VariablePlace find(int index) noexcept;

  /// Returns the index of what is MPI's or the library's number `index`, while the interface is initialised.
  int index_of_native(int index) noexcept;
  int index_of_own(int index) noexcept;

private:
  int first_own(int native) noexcept;

  const CountNative count_native_;
  const int own_;
  // The index of the library's first, or -1 before MPI was asked. It is written once and orders nothing else.
  std::atomic<int> first_own_{-1};
};

Numbering& control_variables();
Numbering& performance_variables();
Numbering& categories(); ///< the library's one is number 0

/// Returns whether MPI's tool interface is initialised.
bool is_initialised() noexcept;

} // namespace helper::observe
