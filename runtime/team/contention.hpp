// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <optional>

#include "team/futex.hpp"

namespace helper::team {

/// Detects threads of other programs that compete for the cores of this process. Next to such threads a wait
/// must spin: a thread that sleeps gives its core away, and wakes a time slice of milliseconds late.
///
/// A thread notices competition by its run-queue delay, the time in which it was ready to run and did not
/// run. The delay grows when the thread wakes late, and when another thread displaces it while it spins. If
/// the threads of the MPI job fill the cores, they delay one another. That is no contention: sleeping helps.
///
/// Any thread may call anything.
class Contention {
public:
  using Clock = futex::Clock;

  /// What a thread samples: the time, its run-queue delay, and the processor time of its process.
  struct Sample {
    Clock::time_point at{};
    Clock::duration queued{};
    Clock::duration used{};
  };
  using Read = std::optional<Sample> (*)() noexcept;

  /// Returns whether other programs compete now. Costs a load and, once per `period`, some microseconds.
  static bool is_on(Clock::time_point now) noexcept {
    const auto until = own_.until_.load(std::memory_order_relaxed);
    if (until == never) [[likely]]
      return false;
    return now.time_since_epoch() < Clock::duration(until) || look(until);
  }

  /// Samples the calling thread, unless its last sample is less than a millisecond old. A sample costs some
  /// microseconds. Call it after a sleep, and when another thread of the MPI job shares the core.
  static void woke(Clock::time_point now) noexcept;

  /// Sets the source of samples, and forgets detected contention. For tests.
  static void set(Read read) noexcept {
    own_.read_ = read;
    own_.until_.store(never, std::memory_order_relaxed);
  }

  /// Reads a sample from the system. Returns nothing if the kernel does not count run-queue delays.
  static std::optional<Sample> read() noexcept;

  /// How long is_on() is true after a thread has detected contention. Then is_on() takes a new sample.
  static constexpr Clock::duration period = std::chrono::milliseconds(500);
  /// Shorter delays between two samples are no contention, since they cost little.
  static constexpr Clock::duration shortest_delay = std::chrono::microseconds(250);

private:
  static bool look(Clock::rep until) noexcept;

  static constexpr Clock::rep never = 0;

  static Contention own_;

  // When contention ends, in ticks of Clock, or `never`. Any thread may set this hint, which orders nothing.
  std::atomic<Clock::rep> until_{never};
  // Written by set(), while no thread waits.
  Read read_ = read;
};

inline constinit Contention Contention::own_;

} // namespace helper::team
