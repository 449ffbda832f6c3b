// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>

namespace helper::ranks {

namespace detail {
inline constexpr int unknown_level = -1;
// The level that MPI has granted. Relaxed: a thread that calls MPI has synchronised with the initialisation.
inline constinit std::atomic<int> granted_level{unknown_level};
} // namespace detail

/// Asks MPI for the granted level, which may differ each time that MPI is initialised.
inline int read_thread_level() noexcept {
  int granted = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&granted);
  detail::granted_level.store(granted, std::memory_order_relaxed);
  return granted;
}

/// Returns the level that MPI has granted. Only the first call calls MPI.
inline int thread_level() noexcept {
  const int level = detail::granted_level.load(std::memory_order_relaxed);
  return level != detail::unknown_level ? level : read_thread_level();
}

/// Returns whether any thread may call MPI, but only one at a time (MPI_THREAD_SERIALIZED). The program
/// ensures this for MPI functions, but not for those of mpi_helper.h. So these must not call MPI then.
inline bool threads_take_turns() noexcept {
  return thread_level() == MPI_THREAD_SERIALIZED;
}

} // namespace helper::ranks
