// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/doorbell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace helper::team {

namespace {

using Clock = Doorbell::Clock;

// FUTEX_WAIT_BITSET takes an absolute time of CLOCK_MONOTONIC, which is what steady_clock counts.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                Clock::time_point until) noexcept {
  timespec deadline{};
  const timespec* timeout = nullptr;
  if (until != Clock::time_point::max()) {
    const auto since = until.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    deadline.tv_sec = static_cast<std::time_t>(seconds.count());
    deadline.tv_nsec = static_cast<long>(std::chrono::nanoseconds(since - seconds).count());
    timeout = &deadline;
  }
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, timeout, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake(const std::atomic<std::uint32_t>& word, int count) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

static_assert(sizeof(std::atomic<std::uint32_t>) == 4 && std::atomic<std::uint32_t>::is_always_lock_free,
              "the kernel compares the futex word as 32 plain bits");

} // namespace

void Doorbell::ring(int wake) noexcept {
  rings_.fetch_add(1, std::memory_order_seq_cst);
  if (wake > 0 && sleepers_.load(std::memory_order_seq_cst) != 0) futex_wake(rings_, wake);
}

bool Doorbell::spin(std::uint32_t seen, Clock::duration time) const noexcept {
  if (time == Clock::duration::zero()) return false;
  constexpr int looks_per_clock_read = 64;
  const auto end = Clock::now() + time;
  do {
    for (int look = 0; look < looks_per_clock_read; ++look) {
      if (rings() != seen) return true;
      spin_pause();
    }
  } while (Clock::now() < end);
  return false;
}

void Doorbell::wait(std::uint32_t seen, Clock::duration spin_time, Clock::time_point until) noexcept {
  if (spin(seen, spin_time)) return;
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  while (rings_.load(std::memory_order_seq_cst) == seen && Clock::now() < until)
    futex_wait(rings_, seen, until);
  sleepers_.fetch_sub(1, std::memory_order_relaxed); // an overcount costs one needless system call
}

} // namespace helper::team
