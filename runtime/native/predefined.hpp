// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::native {

/// Returns whether MPI_COMM_WORLD and MPI_COMM_SELF can be used: between MPI_Init and MPI_Finalize, but not
/// in a program that uses only sessions.
inline bool are_predefined() noexcept {
  int initialised = 0;
  int finalised = 0;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

} // namespace helper::native
