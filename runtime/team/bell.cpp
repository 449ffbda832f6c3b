// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/bell.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "team/futex.hpp"

namespace helper::team {

namespace {

Bell private_bell; // of a process that shares no memory

} // namespace

constinit Bell* Bell::own_ = &private_bell;
constinit bool Bell::has_membarrier_ = false;

void Bell::set_own(Bell& bell, bool membarrier) noexcept {
  own_ = &bell;
  has_membarrier_ = membarrier;
}

bool Bell::register_membarrier() noexcept {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

std::uint32_t Bell::announce(bool is_needed) noexcept {
  const std::uint32_t seen = announce_nap(is_needed);
  if (has_membarrier_) syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
  return seen;
}

std::uint32_t Bell::announce_nap(bool is_needed) noexcept {
  const std::uint32_t seen = rings_.load(std::memory_order_acquire);
  asleep_.fetch_or(is_needed ? sleeps | needed : sleeps, std::memory_order_acq_rel);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return seen;
}

void Bell::wake() noexcept {
  if (asleep_.exchange(0, std::memory_order_acq_rel) == 0) return; // another ringer cleared it, and wakes
  rings_.fetch_add(1, std::memory_order_release);
  futex::wake(rings_, INT_MAX, futex::Reach::node);
}

void Doorbell::ring(int wake) noexcept {
  rings_.fetch_add(1, std::memory_order_seq_cst);
  if (wake > 0 && sleepers_.load(std::memory_order_seq_cst) != 0)
    futex::wake(rings_, wake, futex::Reach::process);
}

bool Doorbell::spin(std::uint32_t seen, Clock::duration time) const noexcept {
  if (time == Clock::duration::zero()) return false;
  constexpr int looks_per_clock_read = 64;
  // Looks before it reads the clock, because a reading takes as long as a short wait.
  Clock::time_point now{}, end{};
  do {
    for (int look = 0; look < looks_per_clock_read; ++look) {
      if (rings() != seen) return true;
      spin_pause();
    }
    now = Clock::now();
    if (end == Clock::time_point{}) end = now + time;
  } while (now < end);
  return false;
}

void Doorbell::sleep(std::uint32_t seen, Clock::time_point until) noexcept {
  std::uint32_t rung = announce();
  for (; rung == seen && Clock::now() < until; rung = rings()) futex::wait(rings_, seen, until);
  retract();
}

} // namespace helper::team
