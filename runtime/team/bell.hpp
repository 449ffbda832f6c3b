// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace helper::team {

/// Threads of one process sleep at a bell until a condition in memory, or in MPI, becomes true. The thread
/// that makes the condition true rings the bell. That thread may belong to another process that has mapped
/// the bell's memory. Zeroed memory is a bell that has not been rung.
///
/// The waiter calls announce() and then checks its condition. If the condition is false, the waiter sleeps
/// until word() differs from what announce() returned. It calls announce() again before each further check.
///
/// No ring is missed. Let D be the ringer's store that makes the condition true, L its later load of asleep_,
/// A the waiter's store to asleep_, and C its later check of the condition. It must not happen that L misses
/// A and C misses D. Ringers ring often and sleepers have time, so only the waiter has a fence, between A and
/// C: membarrier(2). It returns after every running thread of the node's processes has passed a full barrier.
/// If the ringer passes that barrier after D, C sees D. Otherwise the ringer passes it before D and hence
/// before L, so L sees A. Between D and L only the compiler must keep the order. If membarrier is refused, or
/// the node is oversubscribed so that processes often sleep, both sides have a fence.
///
/// If L sees A, the ringer clears asleep_, advances rings_ and wakes the waiter. If another ringer has
/// cleared asleep_ before, that ringer advances rings_. The waiter has read rings_ before A, so it has not
/// read that advance. The kernel lets the waiter sleep only while rings_ has the value that the waiter read.
///
/// The model is tests/models/bell.pml.
class alignas(64) Bell {
public:
  /// Wakes threads that sleep. If nobody sleeps, costs one load of a line that is rarely written; without
  /// membarrier also a fence. Any thread may call it.
  void ring() noexcept {
    if (somebody_may_sleep()) [[unlikely]]
      wake();
  }

  /// Wakes the threads at this bell if one of them sleeps although other processes may need it to poll MPI.
  /// May miss a thread that is about to sleep. Any thread may call it.
  void call_for_progress() noexcept {
    if ((asleep_.load(std::memory_order_relaxed) & needed) != 0) wake();
  }

  /// Announces that the calling thread is about to sleep. Returns the value of word(). `is_needed`: other
  /// processes may need the thread to poll MPI meanwhile. Costs microseconds if membarrier(2) is used.
  std::uint32_t announce(bool is_needed) noexcept;
  /// Like announce(), but only with a fence, so the thread may miss a ring. For threads that sleep too
  /// briefly for this to matter, and so often that membarrier(2) would disturb all cores.
  std::uint32_t announce_nap(bool is_needed) noexcept;

  /// Returns the word that changes when the bell rings.
  const std::atomic<std::uint32_t>& word() const noexcept { return rings_; }

  /// Returns the bell that threads of this process sleep at.
  static Bell& own() noexcept { return *own_; }
  /// Sets the bell that own() returns. `membarrier`: all threads that ring or sleep there rely on
  /// membarrier(2); otherwise none does. The library calls it once, at MPI_Init, before there are members.
  static void set_own(Bell& bell, bool membarrier) noexcept;

  /// Allows this process to take part in membarrier(2). Returns false if the system refuses.
  static bool register_membarrier() noexcept;

  /// Returns whether ring() would wake threads. If so, the caller sees what they did before announce().
  bool somebody_may_sleep() const noexcept {
    if (has_membarrier_) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    return asleep_.load(std::memory_order_acquire) != 0;
  }

private:
  void wake() noexcept;

  // Bits of asleep_: a thread may sleep; other processes may need a sleeping thread to poll MPI.
  static constexpr std::uint32_t sleeps = 1;
  static constexpr std::uint32_t needed = 2;

  // The pointer is written by set_own() and read by members.
  static Bell* own_;
  static bool has_membarrier_;

  // Counts rings, modulo 2^32. A ringer that finds that a thread may sleep advances it. Release and acquire:
  // a thread that sees the advance sees what the ringer did before.
  std::atomic<std::uint32_t> rings_{0};
  // Not 0 if a thread may have gone to sleep since the last ring. Set before the sleep; cleared by a ringer.
  std::atomic<std::uint32_t> asleep_{0};
};

/// Tells the core that this is a spin loop, and takes some tens of cycles. On most AArch64 cores the
/// instruction `yield` takes no time, so an instruction barrier replaces it.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// An eventcount. Idle members wait at a doorbell. A thread that makes an awaited condition true rings it.
///
/// A waiter reads rings(), checks its condition, and calls spin() and sleep() with the value read: a ring in
/// between is never missed. Any thread may call anything.
///
/// The model is tests/models/doorbell.pml.
class Doorbell {
public:
  using Clock = std::chrono::steady_clock;

  std::uint32_t rings() const noexcept {
    // The acquire pairs with the release in ring(): a thread that sees a ring sees what was done before it.
    return rings_.load(std::memory_order_acquire);
  }

  /// Announces a change: spinning waiters see it, and up to `wake` sleeping waiters are woken.
  void ring(int wake) noexcept;

  /// For a waiter that sleeps on word() without sleep(): counts the waiter as a sleeper, then returns
  /// rings(). The waiter calls retract() when it has woken.
  std::uint32_t announce() noexcept {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    return rings_.load(std::memory_order_seq_cst);
  }
  void retract() noexcept {
    sleepers_.fetch_sub(1, std::memory_order_relaxed); // an overcount costs one needless system call
  }
  const std::atomic<std::uint32_t>& word() const noexcept { return rings_; }

  /// Polls for `time` whether rings() differs from `seen`. Returns whether it does.
  bool spin(std::uint32_t seen, Clock::duration time) const noexcept;

  /// Sleeps until rings() differs from `seen`, at most until `until`.
  void sleep(std::uint32_t seen, Clock::time_point until) noexcept;

private:
  // The number of rings, modulo 2^32. A waiter sleeps only while it equals the value that the waiter has
  // seen. Exactly 2^32 rings between two looks would be missed, but they take seconds.
  std::atomic<std::uint32_t> rings_{0};
  // At least the number of sleeping threads. A waiter counts itself before its last look at rings_; a ringer
  // reads it after its ring. Both are sequentially consistent, so one of the two sees the other.
  std::atomic<std::uint32_t> sleepers_{0};
};

} // namespace helper::team
