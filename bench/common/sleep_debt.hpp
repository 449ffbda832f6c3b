// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <ctime>

namespace bench {

inline long now(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// The sleep that a thread owes if it runs as on a core that is `times` times slower. In nanoseconds.
struct SleepDebt {
  long times = 1;
  long paid = 0; ///< the thread's processor time up to which it has slept
  long owed = 0; ///< negative after a sleep that was longer than asked for

  /// Has the thread owe nothing for what it has used since.
  void forgive() noexcept { paid = now(CLOCK_THREAD_CPUTIME_ID); }

  /// Sleeps for what the calling thread has used.
  void settle() noexcept {
    constexpr long second = 1'000'000'000;
    constexpr long shortest = 100'000; // the system does not wake a thread much more precisely
    if (times == 1) return;
    const long used = now(CLOCK_THREAD_CPUTIME_ID);
    owed += (used - paid) * (times - 1);
    paid = used;
    if (owed < shortest) return;
    const long begin = now(CLOCK_MONOTONIC);
    const timespec sleep{owed / second, owed % second};
    nanosleep(&sleep, nullptr);
    owed -= now(CLOCK_MONOTONIC) - begin;
    forgive(); // the sleep itself costs nothing
  }
};

} // namespace bench
