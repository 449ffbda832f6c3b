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

/// Knows how many threads want to run on the processing units that this process was given. Processes that
/// were given the same units count together. Any thread may ask.
class Oversubscription {
public:
  /// Returns whether the threads must take turns: one that spins displaces one that works.
  static bool by_threads() noexcept {
    return wanting(threads_->load(std::memory_order_relaxed)) > units_.load(std::memory_order_relaxed);
  }

  /// Returns whether they would have to if those that sleep until there is work for them ran, too: to wake
  /// one would displace a thread that works. It is true wherever by_threads() is.
  static bool if_all_ran() noexcept {
    const int threads = threads_->load(std::memory_order_relaxed);
    return wanting(threads) + resting(threads) > units_.load(std::memory_order_relaxed);
  }

  /// Returns how many of those that sleep may be woken for work: all if that displaces none, otherwise as
  /// many as processing units have no thread.
  static int room() noexcept {
    if (!if_all_ran()) return INT_MAX;
    return std::max(
        units_.load(std::memory_order_relaxed) - wanting(threads_->load(std::memory_order_relaxed)), 0);
  }

  /// Returns whether there are too many even if each process had one thread only.
  static bool by_processes() noexcept { return by_processes_.load(std::memory_order_acquire); }

  /// Returns whether processes that each use `used` processor time in `time` leave hardly any of their units.
  /// Integers, as a program sees exceptions of floating-point numbers that its thread computes.
  static bool fills_units(std::chrono::microseconds used, std::chrono::microseconds time) noexcept {
    constexpr int many = 1 << 16; // so that the product does not overflow in weeks
    // A neighbour at nice 10 leaves 90 % of its core.
    return 25 * used * processes_.load(std::memory_order_relaxed) >=
           24 * time * std::min(units_.load(std::memory_order_relaxed), many);
  }

  /// Counts from now on in `threads`, which has this process's first thread already, against `units`, which
  /// are those of `processes`. It is called when the library begins, when there are no teams.
  static void set(std::atomic<int>& threads, int units, int processes) noexcept {
    threads_ = &threads;
    units_.store(units, std::memory_order_relaxed);
    processes_.store(processes, std::memory_order_relaxed);
    by_processes_.store(processes > units, std::memory_order_release); // pairs with by_processes()
  }

  /// From now on there is room for all threads: nothing is known about cores.
  static void forget() noexcept { set(alone_, 1 << 30, 1); }

  /// While it lives, threads wait as if there were room for none, until set() says what is true. Otherwise
  /// what was known before is known again in the end.
  class Suspected {
  public:
    Suspected() noexcept : before_(units_.exchange(none, std::memory_order_relaxed)) {}
    ~Suspected() {
      int suspected = none;
      units_.compare_exchange_strong(suspected, before_, std::memory_order_relaxed);
    }
    Suspected(const Suspected&) = delete;
    Suspected& operator=(const Suspected&) = delete;

  private:
    static constexpr int none = -1; // unlike what set() is told
    const int before_;
  };

  /// So many threads of this process are members of teams for as long as this lives.
  class CountedThreads {
  public:
    explicit CountedThreads(int threads = 1) noexcept : count_(threads) {
      const bool is_first = members_.fetch_add(count_, std::memory_order_relaxed) == 0;
      if (const int more = count_ - (is_first ? 1 : 0); more != 0)
        threads_->fetch_add(more, std::memory_order_relaxed);
    }
    ~CountedThreads() {
      const bool is_last = members_.fetch_sub(count_, std::memory_order_relaxed) == count_;
      if (const int more = count_ - (is_last ? 1 : 0); more != 0)
        threads_->fetch_sub(more, std::memory_order_relaxed);
    }
    CountedThreads(const CountedThreads&) = delete;
    CountedThreads& operator=(const CountedThreads&) = delete;

  private:
    const int count_;
  };

private:
  // One number counts both: the threads that want to run, and above its lower 16 bits those that sleep until
  // there is work for them.
  static constexpr int one_resting = 1 << 16;

  /// Adds to that number for as long as it lives.
  template <int change>
  class Adds {
  public:
    Adds() noexcept { threads_->fetch_add(change, std::memory_order_relaxed); }
    ~Adds() { threads_->fetch_sub(change, std::memory_order_relaxed); }
    Adds(const Adds&) = delete;
    Adds& operator=(const Adds&) = delete;
  };

public:
  /// A thread of the library's own is a member for as long as this lives.
  using HelperPlace = Adds<1>;
  /// A thread that has one of these places sleeps for as long as this lives, until there is work for it.
  /// Where that would displace others it is not woken for it: see room().
  using Rest = Adds<one_resting - 1>;
  /// A thread that wants to run leaves its processing unit to those that rest for as long as this lives.
  using GivesWay = Adds<-1>;

  /// Returns whether there is room for the threads that want to run, but not for those that rest besides. A
  /// thread that asks may give way, and says whether it does.
  static bool by_resting(bool gives_way) noexcept {
    const int threads = threads_->load(std::memory_order_relaxed);
    const int units = units_.load(std::memory_order_relaxed);
    return wanting(threads) <= units && wanting(threads) + resting(threads) + (gives_way ? 1 : 0) > units;
  }

private:
  static int wanting(int threads) noexcept { return threads & (one_resting - 1); }
  static int resting(int threads) noexcept {
    return static_cast<int>(static_cast<unsigned>(threads) / one_resting);
  }

  static inline std::atomic<int> alone_{1};

  // The pointer is written by set() and read by members.
  static inline constinit std::atomic<int>* threads_ = &alone_;
  // It is a hint, too, and orders nothing.
  static inline constinit std::atomic<int> units_{1 << 30};
  // The number of processes that were given these units, for fills_units(). It orders nothing.
  static inline constinit std::atomic<int> processes_{1};
  // Any thread reads this, and then what the node's processes share, which is there when it is set.
  static inline constinit std::atomic<bool> by_processes_{false};
  // Counts the threads of this process that are members. The first of them is the one that a process without
  // any has, so all but one are counted in *threads_. It is a hint, as that is: it orders nothing.
  static inline constinit std::atomic<int> members_{0};
};

/// Another reason for this process to go on polling while its threads wait: MPI, which makes progress only
/// while it is polled, and which this layer does not know. By default waits consider only what they wait for.
class Progress {
public:
  using Needed = bool (*)() noexcept;
  using Poll = void (*)() noexcept;

  /// Sets the two functions: `needed` says whether others may be waiting for this process to poll, `poll`
  /// polls once. Both are called by threads that wait in an MPI call. It is called once, at MPI_Init, before
  /// there are members.
  static void set(Needed needed, Poll poll) noexcept {
    needed_ = needed;
    poll_ = poll;
  }

  static bool needed() noexcept { return needed_(); }
  static void poll() noexcept { poll_(); }

private:
  // The pointers are written by set() and read by members.
  static inline constinit Needed needed_ = []() noexcept { return false; };
  static inline constinit Poll poll_ = []() noexcept {};
};

class Member;

/// What wakes a thread that waits.
enum class Woken {
  by_mpi,      ///< nothing, as it may be: MPI finds what the thread awaits, and each of its polls calls MPI
  perhaps,     ///< nothing, as it may be: what it awaits becomes true in memory
  by_its_bell, ///< the bell of its process, which is rung when what it awaits becomes true
  by_helpers   ///< the same, and the thread must not call MPI meanwhile, for which it may not be the time
};

/// Between two polls of something that a member waits for it spins, lets others run or sleeps. One object is
/// for one wait.
///
/// Where all threads have processing units it spins, as long as its team does, and for ever if nothing may
/// wake it, or if other programs compete for the units (see Contention). It leaves its unit to another
/// thread of the job that spins there, too (see SharedUnit). Where they are oversubscribed it
/// polls once, yields some times, and then sleeps: until its bell is rung or its team has work, and not long,
/// since MPI gets on only while it is polled. Where its team does not spin at all it sleeps like that, too,
/// but for what follows.
///
/// Where others rest that have no processing units (see Oversubscription::Rest), a wait that has been long
/// gives way to them: it sleeps like that, too, and does not count as wanting to run.
///
/// While MPI has something under way that others may need (see Progress), MPI is polled at each turn, and a
/// member of a process that has a processing unit to itself never sleeps: it might be needed.
class Pause {
public:
  Pause(const Member& member, Woken woken) noexcept : member_(member), woken_(woken) {}
  ~Pause() { end(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

  /// Is called when the poll has found nothing to do. True now and then: for what is too much at every poll.
  bool take() noexcept;

  /// Is called when the poll has found something to do, so what follows is a new wait.
  void end() noexcept;

private:
  bool has_bell() const noexcept { return woken_ == Woken::by_its_bell || woken_ == Woken::by_helpers; }
  bool gives_way(bool is_needed) noexcept;
  bool spins(bool is_needed) noexcept;
  bool makes_room() noexcept;
  bool yields(bool is_needed) const noexcept;
  void announce(bool is_needed) noexcept;
  void sleep(bool is_needed) noexcept;
  futex::Clock::duration next_nap(bool is_needed) noexcept;
  futex::Clock::duration waited(futex::Clock::time_point now) noexcept;
  void stay() noexcept;

  // It is true while a wait of this process gives way. One does at a time: a process counts as one thread
  // at least, but may have many that are members of no team. It orders nothing.
  static inline constinit std::atomic<bool> one_gives_way_{false};

  const Member& member_;
  const Woken woken_;
  unsigned in_vain_ = 0; // polls; it may come round in a wait of minutes
  int yields_ = 0;
  bool announced_ = false; // to sleep, if the next poll is without success as well
  bool counted_ = false;   // among those that sleep at the team's doorbell
  std::uint32_t seen_of_team_ = 0;
  std::uint32_t seen_of_process_ = 0;
  std::optional<Oversubscription::GivesWay> gives_way_;
  futex::Clock::time_point since_{}; // the first look at the clock
  futex::Clock::duration nap_{};     // the last
};

} // namespace helper::team
