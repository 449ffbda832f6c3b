// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace helper::team {

/// Threads of a process sleep at a bell while they wait for something to become true in memory, or in MPI. It
/// is rung by the thread that has made it true: one of the process, or of another one that has mapped the
/// bell's memory. A bell of all zeros has not been rung.
///
/// The waiter calls announce(), looks for what it awaits, and if it is not there sleeps until word() differs
/// from what announce() returned. Before it looks again to sleep once more, it calls announce() again.
///
/// No ring is missed. Let D be the ringer's store that makes the awaited thing true, L its look at asleep_
/// after that, A the waiter's store to asleep_, and C its check of the awaited thing after that. It must not
/// happen that L misses A and C misses D. Ringers ring often and sleepers have time, so the fence between A
/// and C does the work for both sides: membarrier(2) does not return before every running thread of the
/// node's processes has passed a full barrier. If the ringer's lies after D, C sees D. Otherwise it lies
/// before D and hence before L, which sees A. Between D and L the compiler alone must keep the order. Where
/// membarrier is refused, or processes take turns and so sleep often, both sides have a fence.
///
/// If L sees A, the ringer takes asleep_ back, advances rings_ and wakes. L may also see that another ringer
/// has taken A back, which then advances rings_. The waiter has read rings_ before A, so it has not read that
/// advance, and the kernel lets it sleep only as long as there is none.
///
/// The model is tests/models/bell.pml.
class alignas(64) Bell {
public:
  /// Wakes threads that sleep. Costs one load of a line that is hardly written while nobody sleeps, and,
  /// without membarrier, a fence. Any thread may call it.
  void ring() noexcept {
    if (somebody_may_sleep()) [[unlikely]]
      wake();
  }

  /// Wakes the threads that sleep although MPI may need them to poll it. May miss one that is about to sleep.
  /// Any thread may call it.
  void call_for_progress() noexcept {
    if ((asleep_.load(std::memory_order_relaxed) & needed) != 0) wake();
  }

  /// The calling thread is about to sleep. `is_needed`: MPI may need it meanwhile. Costs microseconds if
  /// there is membarrier.
  std::uint32_t announce(bool is_needed) noexcept;
  /// Does the same for a thread that sleeps for so short a time that it may miss a ring, and so often that
  /// all processors would feel it: with membarrier too it costs no more than a fence.
  std::uint32_t announce_nap(bool is_needed) noexcept;

  /// Returns the word that changes when the bell rings.
  const std::atomic<std::uint32_t>& word() const noexcept { return rings_; }

  /// Returns the bell that threads of this process sleep at.
  static Bell& own() noexcept { return *own_; }
  /// Sets the bell that own() returns. `membarrier`: all threads that ring or sleep there rely on
  /// membarrier(2), otherwise none. The library calls it once, at MPI_Init, before there are members.
  static void set_own(Bell& bell, bool membarrier) noexcept;

  /// Allows this process to take part in membarrier(2); returns false if the system does not let it.
  static bool register_membarrier() noexcept;

  /// Returns whether ring() would wake anybody. Then what sleepers did before they announced it is seen.
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

  // Bits of asleep_: a thread may sleep; MPI may need it.
  static constexpr std::uint32_t sleeps = 1;
  static constexpr std::uint32_t needed = 2;

  // The pointer is written by set_own() and read by members.
  static Bell* own_;
  static bool has_membarrier_;

  // Counts modulo 2^32; a thread that finds that somebody may sleep advances it. The order is release and
  // acquire: a thread that sees it advanced sees what was done before.
  std::atomic<std::uint32_t> rings_{0};
  // It is not 0 if a thread may have gone to sleep since the last ring. Each thread that is about to sleep
  // sets it, the ringer clears it.
  std::atomic<std::uint32_t> asleep_{0};
};

/// Tells the core that this is a spin loop, and takes some tens of cycles. AArch64's `yield` takes none on
/// most cores; there what follows is fetched again instead.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Idle members wait at a doorbell, and a thread that makes an awaited thing true rings it (an eventcount).
///
/// A waiter reads rings(), checks what it waits for, and calls spin() and sleep() with the value read: a ring
/// in between is never missed. Any thread may call anything.
///
/// The model is tests/models/doorbell.pml.
class Doorbell {
public:
  using Clock = std::chrono::steady_clock;

  std::uint32_t rings() const noexcept {
    // The acquire pairs with the release in ring(): a thread that sees a ring sees what was done before it.
    return rings_.load(std::memory_order_acquire);
  }

  /// Announces that something changed: spinning waiters see it, and up to `wake` sleeping ones are woken.
  void ring(int wake) noexcept;

  /// Counts a waiter among the sleepers from before it reads rings() until it has woken. It sleeps on word()
  /// by itself. Returns what rings() returns.
  std::uint32_t announce() noexcept {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    return rings_.load(std::memory_order_seq_cst);
  }
  void retract() noexcept {
    sleepers_.fetch_sub(1, std::memory_order_relaxed); // an overcount costs one needless system call
  }
  const std::atomic<std::uint32_t>& word() const noexcept { return rings_; }

  /// Looks for `time` whether rings() differs from `seen`, and returns whether it has come to do so.
  bool spin(std::uint32_t seen, Clock::duration time) const noexcept;

  /// Sleeps until rings() differs from `seen`, at most until `until`.
  void sleep(std::uint32_t seen, Clock::time_point until) noexcept;

private:
  // Counts the rings, modulo 2^32. A waiter sleeps only while it equals what the waiter has seen; 2^32 rings
  // between two looks of one waiter would be missed, which at one ring per nanosecond is a look every 4 s.
  std::atomic<std::uint32_t> rings_{0};
  // It is at least the number of threads asleep. A waiter counts itself before its last look at rings_, a
  // ringer looks at it after its ring; both are sequentially consistent, so one of the two sees the other.
  std::atomic<std::uint32_t> sleepers_{0};
};

} // namespace helper::team
