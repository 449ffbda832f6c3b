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

/// MPI_HELPER_THREADS=openmp: the threads of the program's OpenMP runtime help with MPI calls, in place of
/// threads of the library. For a call outside parallel regions, the library opens one. They also help with a
/// call that a thread makes in a region of the program while other threads of that region wait at a barrier.
namespace helper::process::openmp {

namespace detail {

// Set by start() before other threads may be in a phase; cleared by stop() and forget().
inline constinit std::atomic<bool> is_on{false};

/// Returns why no pool of OpenMP threads helps the thread's `member` with a call that moves `bytes` bytes.
/// Counts the call, unless threads at a barrier may help: then count_at_barrier() does so at its end.
team::OpenmpPool::Obstacle judge(const team::Member& member, std::size_t bytes);
void count_at_barrier(bool has_had_help) noexcept;

} // namespace detail

/// Returns whether the mode is on. Any thread may call it.
inline bool is_on() noexcept {
  return detail::is_on.load(std::memory_order_relaxed);
}

/// Returns whether a supported OpenMP runtime is loaded. Any thread may call it.
bool has_runtime() noexcept;

/// Returns how many threads a parallel region of this thread would have; 0 without a supported runtime.
int threads() noexcept;

/// Returns how many threads a process has instead if there is no supported runtime: as many as OpenMP's
/// environment variables ask for, but at most `room`, the number of cores for it.
int threads_instead(int room) noexcept;

/// Prints that there is no supported runtime, and that the process has `threads` threads instead.
void say_absent(int threads);

/// Starts the mode: up to `most` OpenMP threads of this process may help the members of `team`, the team of
/// the transparent mode. If `reports`, prints what it finds. Called whenever the library begins.
void start(team::Team& team, int most, int rank, bool reports);

/// Ends the mode and prints a summary: if no thread has helped, rank 0 prints that.
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
