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
#include "team/wait_case.hpp"

namespace helper::team {

/// Counts the threads that want to run on the cores of this process. Processes with the same cores count
/// together. Any thread may call its functions unless they say otherwise.
class Oversubscription {
public:
  /// Returns whether more threads want to run than there are cores: one that spins displaces one that works.
  static bool by_threads() noexcept {
    return wanting(own_.threads_->load(std::memory_order_relaxed)) >
           own_.units_.load(std::memory_order_relaxed);
  }

  /// Returns whether threads would be oversubscribed if resting threads, which sleep until there is work for
  /// them, ran too. If so, waking one may displace a thread that works. True whenever by_threads() is.
  static bool if_all_ran() noexcept {
    const int threads = own_.threads_->load(std::memory_order_relaxed);
    return wanting(threads) + resting(threads) > own_.units_.load(std::memory_order_relaxed);
  }

  /// Returns how many resting threads may be woken: the number of free cores; INT_MAX if all have a core.
  static int room() noexcept {
    if (!if_all_ran()) return INT_MAX;
    return std::max(own_.units_.load(std::memory_order_relaxed) -
                        wanting(own_.threads_->load(std::memory_order_relaxed)),
                    0);
  }

  /// Returns whether processes outnumber cores: then one thread per process is already too many.
  static bool by_processes() noexcept { return own_.by_processes_.load(std::memory_order_acquire); }

  /// Returns whether the processes, if each uses `used` processor time in `time`, together fill almost all
  /// cores. Uses integers, since the program might see floating-point exceptions.
  static bool fills_units(std::chrono::microseconds used, std::chrono::microseconds time) noexcept {
    constexpr int many = 1 << 16; // a limit, so that the product does not overflow for weeks
    // The limit is 96 %, to detect another program at nice 10: next to it a process gets 90 % of a core.
    return 25 * used * own_.processes_.load(std::memory_order_relaxed) >=
           24 * time * std::min(own_.units_.load(std::memory_order_relaxed), many);
  }

  /// Returns for what the cores suffice now.
  static Cores cores() noexcept {
    if (!by_threads()) return Cores::for_threads;
    return by_processes() ? Cores::for_fewer : Cores::for_processes;
  }

  /// From now on counts in `threads`, like all `processes` processes with the same `units` cores. `threads`
  /// already includes one thread of this process. Called when the library begins, when there are no teams.
  static void set(std::atomic<int>& threads, int units, int processes) noexcept {
    own_.threads_ = &threads;
    own_.units_.store(units, std::memory_order_relaxed);
    own_.processes_.store(processes, std::memory_order_relaxed);
    own_.by_processes_.store(processes > units, std::memory_order_release); // pairs with by_processes()
  }

  /// From now on counts the threads of this process alone, for `units` cores. Called when there are no teams.
  static void set(int units) noexcept { set(own_.alone_, units, 1); }

  /// From now on threads never count as oversubscribed, because nothing is known about cores.
  static void forget() noexcept { set(1 << 30); }

  /// While it lives, threads wait as if they were oversubscribed. This ends when set() gives the true
  /// numbers, or when the destructor restores the former number of cores.
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

  /// While it lives, `threads` more threads of this process count as members of teams.
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
  // *threads_ has two counts. Its lower 16 bits count the threads that want to run. The bits above count the
  // resting threads, which sleep until there is work for them.
  static constexpr int one_resting = 1 << 16;

  /// While it lives, `change` is added to *threads_.
  template <int change>
  class Adds {
  public:
    Adds() noexcept { own_.threads_->fetch_add(change, std::memory_order_relaxed); }
    ~Adds() { own_.threads_->fetch_sub(change, std::memory_order_relaxed); }
    Adds(const Adds&) = delete;
    Adds& operator=(const Adds&) = delete;
  };

public:
  /// While it lives, one more helper thread of the library counts as wanting to run.
  using HelperPlace = Adds<1>;
  /// While it lives, the thread that made it rests: the thread sleeps until there is work for it, and is not
  /// woken if it would displace another thread (see room()).
  using Rest = Adds<one_resting - 1>;
  /// While it lives, the thread that made it leaves its core to resting threads: it is not counted.
  using GivesWay = Adds<-1>;

  /// Returns whether there are cores for the threads that want to run, but not for the resting threads as
  /// well. `gives_way`: the calling thread has a GivesWay.
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

  std::atomic<int> alone_{1}; // the counter of a process that counts alone; orders nothing
  // The pointer is written by set() and read by members.
  std::atomic<int>* threads_ = &alone_;
  // A hint that orders nothing.
  std::atomic<int> units_{1 << 30};
  // The number of processes with these cores, for fills_units(). It orders nothing.
  std::atomic<int> processes_{1};
  // set() stores it with release when the memory that the node's processes share is ready. A thread that
  // loads it with acquire may read that memory.
  std::atomic<bool> by_processes_{false};
  // The number of this process's threads that are members. *threads_ counts every process as one thread, even
  // a process without members. So each member but the first adds one there. A hint that orders nothing.
  std::atomic<int> members_{0};
};

inline constinit Oversubscription Oversubscription::own_;

class Member;

/// What wakes a thread that waits.
enum class Woken {
  by_mpi,      ///< perhaps no bell: MPI completes the awaited operation, so each poll calls MPI
  perhaps,     ///< perhaps no bell: the awaited condition becomes true in memory, without a ring
  by_its_bell, ///< the bell of its process, which rings when the awaited condition becomes true
  by_helpers   ///< the bell of its process; the thread must not call MPI while it waits
};

/// The wait of a member for one event: what it does between two polls, by the rules of wait_case.hpp.
///
/// It spins first for the time that its team's settings give. If another thread of the MPI job spins on the
/// same core although there are enough cores, the member moves or yields (see SharedUnit). It sleeps until
/// the bell of its process rings or its team has work. Sleeps are short: MPI makes progress only if polled.
///
/// While another process may need this one to poll MPI (see Hooks), each take() also polls MPI. If the member
/// has waited for long while other threads rest because no core is free, it gives way to them: it sleeps
/// between polls, and does not count as wanting to run.
class Pause {
public:
  Pause(const Member& member, Woken woken) noexcept : member_(member), woken_(woken) {}
  ~Pause() { end(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

  /// Call it after a poll that found nothing. Sometimes returns true: then the caller may make costly checks.
  bool take() noexcept;

  /// Call it after a poll that found something to do: the next take() begins a new wait.
  void end() noexcept;

private:
  bool has_bell() const noexcept { return woken_ == Woken::by_its_bell || woken_ == Woken::by_helpers; }
  bool gives_way(bool is_needed) noexcept;
  bool looks_at_clock() const noexcept;
  WaitCase wait_case(bool is_needed, futex::Clock::time_point now) noexcept;
  bool spins_on(Cores cores, std::chrono::nanoseconds time, futex::Clock::time_point now) noexcept;
  void spin(bool is_needed, futex::Clock::time_point now) noexcept;
  void yield() noexcept;
  bool makes_room(futex::Clock::time_point now) noexcept;
  void announce(bool is_needed) noexcept;
  void sleep(bool is_needed) noexcept;
  futex::Clock::duration next_nap(bool is_needed) noexcept;
  futex::Clock::duration waited(futex::Clock::time_point now) noexcept;
  void stay() noexcept;

  // True while a thread of this process gives way. Only one may do so at a time: the threads that are in no
  // team count as one thread together, so only one can be subtracted. The flag orders nothing.
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
  futex::Clock::time_point since_{}; // the first reading of the clock in this wait
  futex::Clock::duration nap_{};     // the last nap
};

} // namespace helper::team
