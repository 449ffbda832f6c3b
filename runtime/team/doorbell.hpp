// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace helper::team {

/// Tells the core that this is a spin loop.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Idle members wait at a doorbell, and a thread that makes an awaited thing true rings it (an eventcount).
///
/// A waiter reads rings(), checks what it waits for, and calls wait() with the value read: a ring in between
/// is never missed. Any thread may call anything.
///
/// The model is tests/models/doorbell.pml.
class Doorbell {
public:
  using Clock = std::chrono::steady_clock;

  std::uint32_t rings() const noexcept {
    // The load is acquire and pairs with the release in ring(): a thread that sees a ring sees what was done
    // before it.
    return rings_.load(std::memory_order_acquire);
  }

  /// Announces that something changed: spinning waiters see it, and up to `wake` sleeping ones are woken.
  void ring(int wake) noexcept;

  /// Counts a waiter among the sleepers that sleeps by means of its own, on word(), from before it reads
  /// rings() until it has woken. Returns what rings() returns.
  std::uint32_t announce() noexcept {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    return rings_.load(std::memory_order_seq_cst);
  }
  void retract() noexcept {
    sleepers_.fetch_sub(1, std::memory_order_relaxed); // an overcount costs one needless system call
  }
  const std::atomic<std::uint32_t>& word() const noexcept { return rings_; }

  /// Blocks until rings() differs from `seen`: spins for `spin`, then sleeps, at most until `until`.
  void wait(std::uint32_t seen, Clock::duration spin, Clock::time_point until) noexcept;

private:
  bool spin(std::uint32_t seen, Clock::duration time) const noexcept;

  // Counts the rings, modulo 2^32. A waiter sleeps only while it equals what the waiter has seen; 2^32 rings
  // between two looks of one waiter would be missed, which at one ring per nanosecond is a look every 4 s.
  std::atomic<std::uint32_t> rings_{0};
  // It is at least the number of threads asleep. A waiter counts itself before its last look at rings_, a
  // ringer looks at it after its ring; both are sequentially consistent, so one of the two sees the other.
  std::atomic<std::uint32_t> sleepers_{0};
};

} // namespace helper::team
