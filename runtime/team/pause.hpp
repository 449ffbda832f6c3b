// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <optional>

#include "team/futex.hpp"

namespace helper::team {

/// Knows how many threads want to run on the cores of this process. Processes with the same cores count
/// together. Any thread may call it.
class Oversubscription {
public:
  /// Returns whether the threads are oversubscribed: a thread that spins displaces one that works.
  static bool by_threads() noexcept {
    return wanting(own_.threads_->load(std::memory_order_relaxed)) >
           own_.units_.load(std::memory_order_relaxed);
  }

  /// Returns whether they would be oversubscribed if resting threads, which sleep until there is work for
  /// them, ran too. Then waking one would displace a thread that works. True whenever by_threads() is.
  static bool if_all_ran() noexcept {
    const int threads = own_.threads_->load(std::memory_order_relaxed);
    return wanting(threads) + resting(threads) > own_.units_.load(std::memory_order_relaxed);
  }

  /// Returns how many resting threads may be woken for work: all if that displaces none, otherwise as many as
  /// there are free cores.
  static int room() noexcept {
    if (!if_all_ran()) return INT_MAX;
    return std::max(own_.units_.load(std::memory_order_relaxed) -
                        wanting(own_.threads_->load(std::memory_order_relaxed)),
                    0);
  }

  /// Returns whether there would be too many threads even if each process had only one.
  static bool by_processes() noexcept { return own_.by_processes_.load(std::memory_order_acquire); }

  /// Returns whether processes that each use `used` processor time in `time` fill almost all of their cores.
  /// It uses integers, because a program could see floating-point exceptions of its thread.
  static bool fills_units(std::chrono::microseconds used, std::chrono::microseconds time) noexcept {
    constexpr int many = 1 << 16; // so that the product does not overflow for weeks
    // At least 96 %: next to a neighbour at nice 10 a process uses only 90 % of its core.
    return 25 * used * own_.processes_.load(std::memory_order_relaxed) >=
           24 * time * std::min(own_.units_.load(std::memory_order_relaxed), many);
  }

  /// From now on counts in `threads`, which already includes this process's first thread, against `units`
  /// cores of `processes` processes. Called when the library begins, when there are no teams.
  static void set(std::atomic<int>& threads, int units, int processes) noexcept {
    own_.threads_ = &threads;
    own_.units_.store(units, std::memory_order_relaxed);
    own_.processes_.store(processes, std::memory_order_relaxed);
    own_.by_processes_.store(processes > units, std::memory_order_release); // pairs with by_processes()
  }

  /// Does the same for a process that counts alone.
  static void set(int units) noexcept { set(own_.alone_, units, 1); }

  /// From now on there is room for all threads: nothing is known about cores.
  static void forget() noexcept { set(1 << 30); }

  /// While it lives, threads wait as if there were no free core, until set() gives the true numbers. Without
  /// a call of set(), the destructor restores the former numbers.
  class Suspected {
  public:
    Suspected() noexcept : before_(own_.units_.exchange(none, std::memory_order_relaxed)) {}
    ~Suspected() {
      int suspected = none;
      own_.units_.compare_exchange_strong(suspected, before_, std::memory_order_relaxed);
    }
    Suspected(const Suspected&) = delete;
    Suspected& operator=(const Suspected&) = delete;

  private:
    static constexpr int none = -1; // differs from every argument of set()
    const int before_;
  };

  /// While it lives, `count` threads of this process are members of teams.
  class CountedThreads {
  public:
    explicit CountedThreads(int threads = 1) noexcept : count_(threads) {
      if (count_ == 0) return;
      const bool is_first = own_.members_.fetch_add(count_, std::memory_order_relaxed) == 0;
      if (const int more = count_ - (is_first ? 1 : 0); more != 0)
        own_.threads_->fetch_add(more, std::memory_order_relaxed);
    }
    ~CountedThreads() {
      if (count_ == 0) return;
      const bool is_last = own_.members_.fetch_sub(count_, std::memory_order_relaxed) == count_;
      if (const int more = count_ - (is_last ? 1 : 0); more != 0)
        own_.threads_->fetch_sub(more, std::memory_order_relaxed);
    }
    CountedThreads(const CountedThreads&) = delete;
    CountedThreads& operator=(const CountedThreads&) = delete;

  private:
    const int count_;
  };

private:
  // One number counts two kinds of threads: in its lower 16 bits those that want to run, above them the
  // resting ones, which sleep until there is work for them.
  static constexpr int one_resting = 1 << 16;

  /// Adds to that number while it lives.
  template <int change>
  class Adds {
  public:
    Adds() noexcept { own_.threads_->fetch_add(change, std::memory_order_relaxed); }
    ~Adds() { own_.threads_->fetch_sub(change, std::memory_order_relaxed); }
    Adds(const Adds&) = delete;
    Adds& operator=(const Adds&) = delete;
  };

public:
  /// While it lives, a thread of the library is a member.
  using HelperPlace = Adds<1>;
  /// While it lives, its thread rests: it sleeps until there is work for it. It is not woken if it would
  /// displace others: see room().
  using Rest = Adds<one_resting - 1>;
  /// While it lives, its thread, which wants to run, leaves its core to resting threads.
  using GivesWay = Adds<-1>;

  /// Returns whether there is room for the threads that want to run, but not for the resting threads as well.
  /// `gives_way`: the calling thread gives way.
  static bool by_resting(bool gives_way) noexcept {
    const int threads = own_.threads_->load(std::memory_order_relaxed);
    const int units = own_.units_.load(std::memory_order_relaxed);
    return wanting(threads) <= units && wanting(threads) + resting(threads) + (gives_way ? 1 : 0) > units;
  }

private:
  static int wanting(int threads) noexcept { return threads & (one_resting - 1); }
  static int resting(int threads) noexcept {
    return static_cast<int>(static_cast<unsigned>(threads) / one_resting);
  }

  static Oversubscription own_;

  std::atomic<int> alone_{1}; // *threads_ unless processes count together; orders nothing
  // The pointer is written by set() and read by members.
  std::atomic<int>* threads_ = &alone_;
  // A hint that orders nothing.
  std::atomic<int> units_{1 << 30};
  // The number of processes with these cores, for fills_units(). It orders nothing.
  std::atomic<int> processes_{1};
  // Set with release after memory that the node's processes share is ready. Any thread loads it with acquire,
  // and then reads that memory.
  std::atomic<bool> by_processes_{false};
  // The number of this process's threads that are members. The first of them counts as the thread that a
  // process without members has, so all but one are counted in *threads_. A hint that orders nothing.
  std::atomic<int> members_{0};
};

inline constinit Oversubscription Oversubscription::own_;

class Member;

/// What wakes a thread that waits.
enum class Woken {
  by_mpi,      ///< possibly nothing: MPI completes what the thread awaits, and each of its polls calls MPI
  perhaps,     ///< possibly nothing: what it awaits becomes true in memory
  by_its_bell, ///< the bell of its process, which rings when what it awaits becomes true
  by_helpers   ///< the same, and the thread must not call MPI meanwhile
};

/// What a member does between two polls of one wait: spin, let others run, or sleep.
///
/// If all threads have cores, it spins for as long as its team's settings say. It spins without limit if
/// nothing may wake it, or if other programs compete for the cores (see Contention). It leaves its core to
/// another thread of the job that spins on the same one (see SharedUnit).
///
/// If threads are oversubscribed, it polls once, yields some times, and then sleeps until its bell rings or
/// its team has work, but not for long, since MPI makes progress only while it is polled. If its team's
/// settings say not to spin, it sleeps in the same way, with the exceptions below.
///
/// If other threads rest because no core is free (see Oversubscription::Rest), a wait that has been long
/// gives way to them: it sleeps in the same way, and does not count as wanting to run.
///
/// While MPI has something in flight that others may need (see Hooks), MPI is polled in each round, and a
/// member of a process that has a core to itself never sleeps: it might be needed.
class Pause {
public:
  Pause(const Member& member, Woken woken) noexcept : member_(member), woken_(woken) {}
  ~Pause() { end(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

  /// Call it when the poll has found nothing to do. Returns true from time to time, for checks too costly for
  /// every poll.
  bool take() noexcept;

  /// Call it when the poll has found something to do: afterwards a new wait begins.
  void end() noexcept;

private:
  bool has_bell() const noexcept { return woken_ == Woken::by_its_bell || woken_ == Woken::by_helpers; }
  bool gives_way(bool is_needed) noexcept;
  bool looks_at_clock() const noexcept;
  bool spins(bool is_needed, futex::Clock::time_point now) noexcept;
  bool makes_room(futex::Clock::time_point now) noexcept;
  bool yields(bool is_needed) const noexcept;
  void announce(bool is_needed) noexcept;
  void sleep(bool is_needed) noexcept;
  futex::Clock::duration next_nap(bool is_needed) noexcept;
  futex::Clock::duration waited(futex::Clock::time_point now) noexcept;
  void stay() noexcept;

  // True while a wait of this process gives way. Only one does at a time: a process counts as at least one
  // thread, but may have many that are members of no team. It orders nothing.
  static inline constinit std::atomic<bool> one_gives_way_{false};

  const Member& member_;
  const Woken woken_;
  unsigned in_vain_ = 0; // unsuccessful polls; it may overflow in a wait of minutes
  int yields_ = 0;
  bool announced_ = false; // the member sleeps if the next poll is also unsuccessful
  bool counted_ = false;   // among the threads that sleep at the team's doorbell
  std::uint32_t seen_of_team_ = 0;
  std::uint32_t seen_of_process_ = 0;
  std::optional<Oversubscription::GivesWay> gives_way_;
  futex::Clock::time_point since_{}; // the first reading of the clock
  futex::Clock::duration nap_{};     // the last
};

} // namespace helper::team
