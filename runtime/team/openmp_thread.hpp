// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "team/team.hpp"

namespace helper::team {

/// A thread of the program in its parallel regions, if the OpenMP runtime supports OMPT. When it comes to a
/// barrier, another thread of the region may be in an MPI call, or about to make one. Then this thread works
/// for a team until all threads of the region have come to the barrier.
///
/// While the thread works, the runtime does not know that it has come to the barrier, so nothing else may
/// depend on its arrival. Explicit tasks may be left to threads at the barrier, so the thread does not work
/// while the region has such tasks. If no thread is in an MPI call, this thread works only for a short time.
///
/// The thread works only at barriers to which a thread has come from an MPI call before. Other barriers cost
/// some nanoseconds. A barrier may have several places: compilers may copy it into the branch that calls MPI.
///
/// Only the thread itself calls the functions, unless documented otherwise.
class alignas(64) OpenmpThread {
public:
  /// Returns the calling thread's object; nullptr if there is no memory or the thread is ending.
  static OpenmpThread* own() noexcept;

  /// From now on threads at barriers work for `team`, in regions of at most `most` threads. `team` must live
  /// until the process ends. If no thread is in a call, they work for `patience` at most. Any thread may call
  /// it.
  static void start(Team& team, int most, Doorbell::Clock::duration patience) noexcept;
  /// From now on threads at barriers work for no team. Any thread may call it.
  static void stop() noexcept;

  // Events of the runtime. A region is identified by an address that is unique while the region lasts. A
  // barrier is identified by its place in the program, and the barrier at the end of a region by nullptr.

  /// Called when the thread begins its implicit task: number `index` of a region of `threads` threads.
  void begins(const void* region, int threads, int index) noexcept;
  /// Called when the thread has ended its implicit task; for an index other than 0 perhaps late or never.
  void ends() noexcept;
  /// Called when the thread creates an explicit task.
  void creates_task() noexcept;
  /// Called when the thread is about to wait at the barrier `place`. May run chunks before it returns.
  void comes_to_barrier(const void* place) noexcept;

  /// Called around an MPI call that may have work for the other threads, if the region has several threads.
  void begins_call() noexcept;
  void ends_call() noexcept;

  /// Returns the number of threads of the innermost region; 1 outside regions.
  int threads() const noexcept { return is_known() ? here().threads : 1; }

private:
  /// The state of the thread in one of the nested regions that it is in.
  struct Level {
    const void* region = nullptr;
    int threads = 1;
    std::uint64_t barriers = 0;           ///< the number of barriers that it has come to
    std::uint64_t barrier_for_tasks = 0;  ///< the number of the barrier that ends its explicit tasks
    std::uint64_t barrier_after_call = 0; ///< the last barrier to which it came from a call; 0 if none
    const void* place = nullptr;          ///< of the last barrier to which it has come
    bool is_in_call = false;
    bool has_called = false; ///< since the last barrier

    std::uint64_t progress() const noexcept { return 2 * barriers + (is_in_call ? 1 : 0); }
  };

  /// What the threads that have not come to the barrier do. `call`: at least one is in an MPI call.
  /// `nothing`: all have come, or tasks forbid to wait here.
  enum class Others { compute, call, nothing };

  bool is_known() const noexcept { return depth_ != 0 && depth_ <= most_levels; }
  const Level& here() const noexcept { return levels_[depth_ - 1]; }
  Level& here() noexcept { return levels_[depth_ - 1]; }
  void show() noexcept;
  Others others() const noexcept;
  void learn(const void* place_before) noexcept;
  void wait(Team& team) noexcept;

  static constexpr std::size_t most_levels = 8;

  // The thread writes the first four variables; other threads of its region read them. region_ is nullptr
  // outside regions. It is written after the other three, with release and acquire: a thread that sees a
  // region sees the values of the other three in that region, or later ones.
  std::atomic<const void*> region_{nullptr};
  std::atomic<std::uint64_t> progress_{0}; // of the innermost Level
  std::atomic<std::uint64_t> barrier_for_tasks_{0};
  std::atomic<std::uint64_t> barrier_after_call_{0};
  // The object added before this one; constant once other threads can find this object.
  OpenmpThread* older_ = nullptr;
  // True while a thread of the program has this object. own() sets it, the thread's end clears it.
  std::atomic<bool> is_held_{true};

  // Only the thread itself uses the following.
  std::size_t depth_ = 0; // may exceed most_levels: levels_ keeps only the outermost
  std::array<Level, most_levels> levels_{};
  std::uint64_t arrivals_seen_ = 0; // the last value of arrivals_from_calls that it has read
  Member* place_ = nullptr;         // its place in the team once it has worked; kept for the next thread
};

} // namespace helper::team
