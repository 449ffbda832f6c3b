// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>

#include "team/openmp_pool.hpp"
#include "team/openmp_thread.hpp"
#include "team/team.hpp"

/// MPI_HELPER_THREADS=openmp: the threads of the program's OpenMP runtime help with MPI calls, in place of
/// threads of the library. They help with calls outside of parallel regions, in a region of the library. They
/// also help with a call that a thread makes in a region while the others wait at a barrier.
namespace helper::process::openmp {

namespace detail {

// It is set by start() before other threads may be in a phase, and again by stop() and forget().
inline constinit std::atomic<bool> is_on{false};

/// The threads that can help with a call.
enum class Helpers { none, pool, at_barrier };

/// Returns which threads can help `member`, of the calling thread, with a call that moves `bytes` bytes, and
/// counts the call if that is known by now.
Helpers judge(const team::Member& member, std::size_t bytes);

/// Is for a call with which threads at a barrier can help. It counts the call.
class AtBarrier {
public:
  explicit AtBarrier(team::Team& team) noexcept : call_(*team::OpenmpThread::own(), team) {}
  ~AtBarrier();
  AtBarrier(const AtBarrier&) = delete;
  AtBarrier& operator=(const AtBarrier&) = delete;

private:
  const team::OpenmpThread::HelpedCall call_;
};

} // namespace detail

/// Returns whether it is asked for. Any thread may call it.
inline bool is_on() noexcept {
  return detail::is_on.load(std::memory_order_relaxed);
}

/// Returns whether a runtime is loaded that has what this takes. Any thread may call it.
bool has_runtime() noexcept;

/// Returns how many threads a process with room for `room` has where there is none: as many as OpenMP would
/// have by its environment, but no more than that.
int threads_instead(int room) noexcept;

/// Reports that there is no such runtime, and how many threads the process has instead. All but one of them
/// belong to the library.
void say_absent(int threads);

/// Begins: they may help the members of `team`, that of the transparent mode, with up to `most` threads of
/// this process. It speaks, if it `reports`, of what it finds. It is called when the library begins, and may
/// be after stop().
void start(team::Team& team, int most, int rank, bool reports);

/// Ends, and says what has come of it: where none has helped, rank 0 says so.
void stop();

/// Leaves the threads alone: it is for a forked child, which has none.
void forget() noexcept;

/// Calls `work()`, which carries an MPI call of `member`, of the calling thread, that moves `bytes` bytes.
/// The threads of the program help if they can and it is worthwhile. May throw what `work` throws.
template <class Work>
void help(const team::Member& member, std::size_t bytes, const Work& work) {
  switch (detail::judge(member, bytes)) {
  case detail::Helpers::none:
    return work();
  case detail::Helpers::pool:
    return team::OpenmpPool::own().run(member.team(), work);
  case detail::Helpers::at_barrier:
    const detail::AtBarrier waited_for(member.team());
    return work();
  }
}

} // namespace helper::process::openmp
