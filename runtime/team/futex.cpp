// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

namespace helper::team::futex {

namespace {

static_assert(sizeof(Word) == 4 && Word::is_always_lock_free,
              "the kernel compares the word as 32 plain bits, wherever it is mapped");

constexpr auto never = Clock::time_point::max();

/// Returns an absolute time of CLOCK_MONOTONIC, which is what steady_clock counts.
timespec deadline(Clock::time_point until) noexcept {
  const auto since = until.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  const std::chrono::nanoseconds rest = since - seconds;
  return {static_cast<std::time_t>(seconds.count()), static_cast<long>(rest.count())};
}

int private_flag(Reach reach) {
  return reach == Reach::process ? FUTEX_PRIVATE_FLAG : 0;
}

void wait_one(const Word& word, std::uint32_t expected, Clock::time_point until, Reach reach) noexcept {
  const timespec time = deadline(until);
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | private_flag(reach), expected,
          until == never ? nullptr : &time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

futex_waitv awaited(const Word& word, std::uint32_t expected, Reach reach) {
  futex_waitv one{};
  one.uaddr = reinterpret_cast<std::uintptr_t>(&word);
  one.val = expected;
  one.flags = static_cast<std::uint32_t>(FUTEX_32 | private_flag(reach));
  return one;
}

// Whether the system has futex_waitv(2). A thread whose call of it fails clears this. It orders nothing.
std::atomic<bool> can_wait_for_two{true};

} // namespace

void wait(const Word& word, std::uint32_t expected, Clock::time_point until) noexcept {
  wait_one(word, expected, until, Reach::process);
}

void wait_either(const Word& near, std::uint32_t near_expected, const Word& far, std::uint32_t far_expected,
                 Clock::time_point until) noexcept {
  if (can_wait_for_two.load(std::memory_order_relaxed)) {
    const std::array both{awaited(near, near_expected, Reach::process),
                          awaited(far, far_expected, Reach::node)};
    const timespec time = deadline(until);
    const long result = syscall(SYS_futex_waitv, both.data(), both.size(), 0, // Linux 5.16
                                until == never ? nullptr : &time, CLOCK_MONOTONIC);
    if (result >= 0 || errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT) return;
    can_wait_for_two.store(false, std::memory_order_relaxed);
  }
  wait_one(far, far_expected, std::min(until, Clock::now() + std::chrono::milliseconds(1)), Reach::node);
}

void wake(const Word& word, int count, Reach reach) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE | private_flag(reach), count, nullptr, nullptr, 0);
}

} // namespace helper::team::futex
