// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lifetime/at_end.hpp"
#include "team/openmp_pool.hpp"
#include "team/openmp_thread.hpp"
#include "team/team.hpp"

/// OpenMP mode (MPI_HELPER_THREADS=openmp): the threads of the program's OpenMP runtime help with MPI calls,
/// in place of threads of the library. For a call outside parallel regions, the library opens a region. For a
/// call within a region of the program, the threads that wait at a barrier of the region help.
namespace helper::process::openmp {

namespace detail {

// Set by start() before other threads may be in a phase; cleared by stop() and forget().
inline constinit std::atomic<bool> is_on{false};

/// Returns why no pool of OpenMP threads helps the thread's `member` with a call that moves `bytes` bytes.
/// Counts the call, unless it returns `at_barrier`: count_at_barrier() counts such a call at its end.
team::OpenmpPool::Obstacle judge(const team::Member& member, std::size_t bytes);
void count_at_barrier(bool has_had_help) noexcept;

} // namespace detail

/// Returns whether OpenMP mode is on. Any thread may call it.
inline bool is_on() noexcept {
  return detail::is_on.load(std::memory_order_relaxed);
}

/// Returns whether a supported OpenMP runtime is loaded. Any thread may call it.
bool has_runtime() noexcept;

/// Returns how many threads a parallel region of this thread would have; 0 without a supported runtime.
int threads() noexcept;

/// Returns how many threads transparent mode uses without a supported runtime: OMP_NUM_THREADS, or `room` if
/// that is unset or greater. `room` is the number of cores for this process.
int threads_instead(int room) noexcept;

/// Prints that there is no supported runtime, and that the process has `threads` threads instead.
void say_absent(int threads);

/// Starts OpenMP mode: up to `most` OpenMP threads may help the members of `team`, the team of transparent
/// mode. If `reports`, prints a summary at the end. `rank` is for texts. Called whenever the library begins.
void start(team::Team& team, int most, int rank, bool reports);

/// Ends OpenMP mode. Prints a summary if start() was asked to, or at rank 0 if no thread has helped.
void stop();

/// Turns the mode off in a forked child, which has no OpenMP threads.
void forget() noexcept;

/// Calls `work()`, which performs an MPI call of the calling thread's `member` that moves `bytes` bytes.
/// OpenMP threads of the program help if they can and if help is worthwhile. May throw what `work` throws.
template <class Work>
void help(const team::Member& member, std::size_t bytes, const Work& work) {
  const auto found = detail::judge(member, bytes);
  if (found == team::OpenmpPool::Obstacle::none) return team::OpenmpPool::own().run(member.team(), work);
  if (found != team::OpenmpPool::Obstacle::at_barrier) return work();
  team::OpenmpThread& self = *team::OpenmpThread::own();
  const std::uint64_t chunks_before = member.team().chunks_helped();
  self.begins_call();
  const lifetime::AtEnd ended([&] {
    detail::count_at_barrier(member.team().chunks_helped() != chunks_before);
    self.ends_call();
  });
  work();
}

} // namespace helper::process::openmp
