// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>

#include "team/openmp_pool.hpp"
#include "team/team.hpp"

/// MPI_HELPER_THREADS=openmp: in the place of threads of the library's own, those of the program's OpenMP
/// runtime help with the MPI calls that are made outside of parallel regions.
namespace helper::process::openmp {

namespace detail {
// It is set by start() before other threads may be in a phase, and again by stop() and forget().
inline constinit std::atomic<bool> is_on{false};
} // namespace detail

/// Tells whether it is asked for. Any thread may call it.
inline bool is_on() noexcept {
  return detail::is_on.load(std::memory_order_relaxed);
}

/// Begins: they may help the members of `team`, that of the transparent mode, with up to `most` threads of
/// this process. It speaks, if `rank` is 0 or it `reports`, of what it finds. It is called when the library
/// begins, and may be after stop().
void start(team::Team& team, int most, int rank, bool reports);

/// Ends, and says what has come of it: where none has helped, rank 0 says so.
void stop();

/// Leaves the threads alone: it is for a forked child, which has none.
void forget() noexcept;

/// Returns the pool that is to help `member`, the calling thread's, with a call that moves so many bytes;
/// nullptr if none.
team::OpenmpPool* pool_for(const team::Member& member, std::size_t bytes);

} // namespace helper::process::openmp
