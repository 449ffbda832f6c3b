// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
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
  /// Wakes the threads that sleep. Costs one load of a line that is hardly written while nobody sleeps, and
  /// where there is no membarrier a fence. Any thread may call it.
  void ring() noexcept {
    if (somebody_may_sleep()) [[unlikely]]
      wake();
  }

  /// Wakes the threads that sleep although MPI may need them to poll it. May miss one that is about to sleep.
  /// Any thread may call it.
  void call_for_progress() noexcept {
    if ((asleep_.load(std::memory_order_relaxed) & needed) != 0) wake();
  }

  /// Says that the calling thread is about to sleep, and whether MPI may need it meanwhile. Costs
  /// microseconds, where there is membarrier.
  std::uint32_t announce(bool is_needed) noexcept;

  /// Returns the word that changes when the bell rings.
  const std::atomic<std::uint32_t>& word() const noexcept { return rings_; }

  /// Returns the bell that threads of this process sleep at.
  static Bell& own() noexcept { return *own_; }
  /// Says which bell is own(), and whether all that ring or sleep there, or none of them, rely on
  /// membarrier(2). It is called once, at MPI_Init, before there are members.
  static void set_own(Bell& bell, bool membarrier) noexcept;

  /// Allows this process to take part in membarrier(2); returns false if the system does not let it.
  static bool register_membarrier() noexcept;

  /// Tells whether ring() would wake anybody. If so, what the sleepers have done before they announced it is
  /// seen.
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

  // These are bits of asleep_: a thread may sleep, and MPI may need it.
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

} // namespace helper::team
