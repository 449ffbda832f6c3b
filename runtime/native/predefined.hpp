// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::native {

/// Returns whether MPI_COMM_WORLD and MPI_COMM_SELF can be used: they can between MPI_Init and MPI_Finalize,
/// and not in a program that has sessions alone.
inline bool are_predefined() noexcept {
  int initialised = 0;
  int finalised = 0;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

} // namespace helper::native
