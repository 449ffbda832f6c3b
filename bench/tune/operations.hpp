// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/selection.hpp"

#include <cstddef>
#include <span>

namespace bench {

/// A collective operation over MPI_COMM_WORLD on dense doubles.
struct Tunable {
  helper::collective::Operation operation;
  /// Performs it on `count` doubles, counted as the selection table does, in buffers that have room for that
  /// many from every rank.
  void (*call)(const double* send, double* receive, int count, int ranks, int root);
};

/// Those whose algorithm depends on how much data there is.
std::span<const Tunable> tunables();

} // namespace bench
