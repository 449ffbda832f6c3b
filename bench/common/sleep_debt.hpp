// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <ctime>
#include <thread>

namespace bench {

inline long now(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// Slows a thread down `times` times: after it has used processor time, it sleeps for `times` - 1 times as
/// long. Times are in nanoseconds.
struct SleepDebt {
  long times = 1;
  long paid = 0; ///< the thread's processor time that its sleeps have paid for
  long owed = 0; ///< negative after a sleep that was longer than asked for

  /// Forgets what the thread has used since the last call.
  void forgive() noexcept { paid = now(CLOCK_THREAD_CPUTIME_ID); }

  void settle() noexcept {
    constexpr long shortest = 100'000; // the system's timers are not much more precise
    if (times == 1) return;
    const long used = now(CLOCK_THREAD_CPUTIME_ID);
    owed += (used - paid) * (times - 1);
    paid = used;
    if (owed < shortest) return;
    const long begin = now(CLOCK_MONOTONIC);
    std::this_thread::sleep_for(std::chrono::nanoseconds(owed));
    owed -= now(CLOCK_MONOTONIC) - begin;
    forgive(); // the processor time of the sleep itself is not charged
  }
};

} // namespace bench
