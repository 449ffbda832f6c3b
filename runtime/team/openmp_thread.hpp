// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "team/team.hpp"

namespace helper::team {

/// A thread in the parallel regions of its program, if the runtime supports OMPT. If another thread of its
/// region is in an MPI call, or about to make one, it works for a team before it waits at a barrier, until
/// all have come there.
///
/// For the runtime, the thread has not come to the barrier yet, so nothing else may depend on its arrival.
/// Explicit tasks may be left to waiting threads: it does not wait here while its region has tasks. Nor does
/// it wait for long if no other thread is in a call.
///
/// It waits only at barriers to which a thread came from such a call before. Other barriers cost some
/// nanoseconds. A barrier may be at several places: compilers copy it for the thread that is in the call.
///
/// Only the thread itself calls the functions, unless documented otherwise.
class alignas(64) OpenmpThread {
public:
  /// Returns the calling thread's object; nullptr if there is no memory.
  static OpenmpThread* own() noexcept;

  /// Lets threads that wait in regions of at most `most` threads work for `team`, which must live until the
  /// process ends. They wait for `patience` if no thread is in a call. Any thread may call it.
  static void start(Team& team, int most, Doorbell::Clock::duration patience) noexcept;
  /// Ends that. Any thread may call it.
  static void stop() noexcept;

  // Events of the runtime. A region is identified by an address that is unique while the region lasts. A
  // barrier is identified by its place in the program, and the barrier at the end of a region by nullptr.

  /// Called when the thread begins its implicit task: number `index` of a region of `threads` threads.
  void begins(const void* region, int threads, int index) noexcept;
  /// Called when the thread has ended its current implicit task. The runtime may report this late or never if
  /// the index is not 0.
  void ends() noexcept;
  /// Called when the thread creates an explicit task.
  void creates_task() noexcept;
  /// Called when the thread is about to wait at a barrier. May work.
  void comes_to_barrier(const void* place) noexcept;

  /// Between these calls the thread, which is in a region of several threads, is in an MPI call that may have
  /// work for the others.
  void begins_call() noexcept;
  void ends_call() noexcept;

  /// Returns the number of threads of the innermost region; 1 outside regions.
  int threads() const noexcept { return is_known() ? here().threads : 1; }

private:
  /// The role of the thread in one of the regions that it is in.
  struct Level {
    const void* region = nullptr;
    int threads = 1;
    std::uint64_t barriers = 0;           ///< the number of barriers that it has come to
    std::uint64_t barrier_for_tasks = 0;  ///< by which its tasks will have ended
    std::uint64_t barrier_after_call = 0; ///< the last barrier to which it came from a call; 0 if none
    const void* place = nullptr;          ///< of the last barrier to which it has come
    bool is_in_call = false;
    bool has_called = false; ///< since the last barrier

    std::uint64_t progress() const noexcept { return 2 * barriers + (is_in_call ? 1 : 0); }
  };

  /// What keeps the other threads of a region from a barrier.
  enum class Others { compute, call, nothing };

  bool is_known() const noexcept { return depth_ != 0 && depth_ <= most_levels; }
  const Level& here() const noexcept { return levels_[depth_ - 1]; }
  Level& here() noexcept { return levels_[depth_ - 1]; }
  void show() noexcept;
  Others others() const noexcept;
  void learn(const void* place_before) noexcept;
  void wait(Team& team) noexcept;

  static constexpr std::size_t most_levels = 8;

  // The thread writes the first four, and others in its region read them. The region is nullptr outside
  // regions. It is written after the other three, with release and acquire: a thread that sees the region
  // sees the others' values for it, or later ones.
  std::atomic<const void*> region_{nullptr};
  std::atomic<std::uint64_t> progress_{0}; // of the innermost Level
  std::atomic<std::uint64_t> barrier_for_tasks_{0};
  std::atomic<std::uint64_t> barrier_after_call_{0};
  // The thread added before this one; constant once this one can be found.
  OpenmpThread* older_ = nullptr;
  // True while a thread of the program has this object. own() sets it, the thread's end clears it.
  std::atomic<bool> is_held_{true};

  // Only the thread itself uses the following.
  std::size_t depth_ = 0; // there may be more levels than are kept
  std::array<Level, most_levels> levels_{};
  std::uint64_t arrivals_seen_ = 0; // arrivals from calls that it has seen, of all threads
  Member* place_ = nullptr;         // in the team, if it has worked; kept for the next thread
};

} // namespace helper::team
