// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::message {

/// What MPI has granted. Calls no MPI function but for the first time, which is at MPI_Init.
inline int thread_level() noexcept {
  static const int level = [] {
    int granted = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&granted);
    return granted;
  }();
  return level;
}

/// Whether any thread may call MPI, but only one at a time, of which the program takes care. Then the
/// functions of mpi_helper.h, of which it does not, must not call it.
inline bool threads_take_turns() noexcept {
  return thread_level() == MPI_THREAD_SERIALIZED;
}

} // namespace helper::message
