// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>

namespace helper::team {

/// Knows how many threads want to run on the processing units that this process was given. Processes that
/// were given the same units count together. Any thread may ask.
class Oversubscription {
public:
  /// Tells whether the threads must take turns: one that spins, or wakes another, would then displace one
  /// that works.
  static bool by_threads() noexcept { return threads_->load(std::memory_order_relaxed) > units_; }

  /// Tells whether there are too many even if each process had one thread only.
  static bool by_processes() noexcept { return by_processes_.load(std::memory_order_acquire); }

  /// Counts from now on in `threads`, which has this process's first thread already, against `units`, which
  /// are those of `processes`. It is called once, at MPI_Init, before there are members.
  static void set(std::atomic<int>& threads, int units, int processes) noexcept {
    threads_ = &threads;
    units_ = units;
    by_processes_.store(processes > units, std::memory_order_release); // pairs with by_processes()
  }

  /// Says that from now on there is room for all: nothing is known of processing units.
  static void forget() noexcept { set(alone_, 1 << 30, 1); }

  /// A thread of this process is a member of teams for as long as this lives.
  class Place {
  public:
    Place() noexcept {
      if (members_.fetch_add(1, std::memory_order_relaxed) > 0)
        threads_->fetch_add(1, std::memory_order_relaxed);
    }
    ~Place() {
      if (members_.fetch_sub(1, std::memory_order_relaxed) > 1)
        threads_->fetch_sub(1, std::memory_order_relaxed);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
  };

private:
  static inline std::atomic<int> alone_{1};

  // The pointer is written by set() and read by members.
  static inline constinit std::atomic<int>* threads_ = &alone_;
  static inline constinit int units_ = 1 << 30;
  // Any thread reads this, and then what the node's processes share, which is there when it is set.
  static inline constinit std::atomic<bool> by_processes_{false};
  // Counts the threads of this process that are members. The first of them is the one that a process without
  // any has, so all but one are counted in *threads_. It is a hint, as that is: it orders nothing.
  static inline constinit std::atomic<int> members_{0};
};

} // namespace helper::team
