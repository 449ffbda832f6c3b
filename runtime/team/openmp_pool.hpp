// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "team/team.hpp"

namespace helper::team {

/// An OpenMP runtime that the program has loaded: GCC's, or one that also has GCC's functions, like LLVM's
/// and Intel's. The library is linked to no OpenMP runtime; it looks up functions in the shared object.
struct OpenmpRuntime {
  using Body = void (*)(void*);

  /// Returns the runtime whose shared object contains `function`. Returns nullptr if that object lacks a
  /// needed function, or if of() has found another runtime before (see is_alone()). The result is never
  /// destroyed, so the shared object must not be unloaded. Any thread may call it.
  static const OpenmpRuntime* of(const void* function) noexcept;

  /// Returns whether of() has been asked for functions of at most one runtime. Any thread may call it.
  static bool is_alone() noexcept;

  std::string path;                                                          ///< of the shared object
  void (*parallel)(Body body, void* data, unsigned threads, unsigned flags); ///< GOMP_parallel
  int (*level)();                                                            ///< omp_get_level, and so on
  int (*thread_num)();
  int (*max_threads)();
  int (*thread_limit)();
  int (*max_active_levels)();
  int (*dynamic)();
  int (*num_places)();
};

/// Decides whether a parallel region of the library pays for a call: the region's threads must save more time
/// than an empty region takes. The first calls measure that time. Later, some calls for which no region pays
/// measure again, as the machine was perhaps busy. The number of such calls between measurements doubles up
/// to `most_between`. The minimum of the last measurements decides: other work only increases them.
class RegionCost {
public:
  using Duration = std::chrono::nanoseconds;

  /// A region never pays for fewer bytes than this: they are in the owner's cache.
  static constexpr std::size_t fewest_bytes = std::size_t{1024} * 1024;

  /// Returns whether a region pays for a call that moves this many bytes. From time to time calls
  /// `measure()`, which returns how long a region without work takes.
  template <class Measure>
  bool pays(std::size_t bytes, const Measure& measure) {
    if (bytes < fewest_bytes) return false;
    if (measured_ < kept) add(measure());
    if (bytes >= least_bytes_) return true;
    if (--until_next_ == 0) {
      add(measure());
      between_ = std::min(2 * between_, most_between);
      until_next_ = between_;
    }
    return bytes >= least_bytes_;
  }

  /// Returns the number of bytes from which a region pays, as far as has been measured.
  std::size_t least_bytes() const noexcept { return least_bytes_; }
  /// Returns the minimum of the last measurements; 0 before the first.
  Duration cost() const noexcept { return cost_; }

private:
  void add(Duration cost) noexcept {
    costs_[measured_++ % kept] = cost;
    const auto end = costs_.begin() + static_cast<std::ptrdiff_t>(std::min(measured_, kept));
    cost_ = *std::min_element(costs_.begin(), end);
    constexpr std::size_t moved = 5; // bytes per ns of one thread; a second thread saves half of the time
    least_bytes_ = std::max(fewest_bytes, 2 * moved * static_cast<std::size_t>(cost_.count()));
  }

  static constexpr std::size_t kept = 5;
  static constexpr std::size_t most_between = 64;

  std::array<Duration, kept> costs_{};
  std::size_t measured_ = 0;
  std::size_t between_ = 1;    // refused calls between two measurements
  std::size_t until_next_ = 1; // refused calls until the next measurement
  Duration cost_{};
  std::size_t least_bytes_ = fewest_bytes;
};

/// The threads that an OpenMP runtime keeps for the parallel regions of one thread of the program, the owner.
/// While the owner is in no region they are idle. In a region that the library opens they work for a team.
///
/// A runtime does not tell whether a pool exists or how large it is. GCC's runtime ends threads, with their
/// threadprivate data, when a region is smaller than the previous one, and starts threads when it is larger.
/// So a region of the library has as many threads as the program's last region, which opens() records.
///
/// Only the owner calls the functions of its pool, and not in a parallel region, unless documented otherwise.
class OpenmpPool {
public:
  /// Returns the calling thread's pool. At first nothing is known of its threads.
  static OpenmpPool& own() noexcept;

  OpenmpPool() = default;
  ~OpenmpPool();
  OpenmpPool(const OpenmpPool&) = delete;
  OpenmpPool& operator=(const OpenmpPool&) = delete;

  /// Called before the program opens a region of `asked` threads, nested or not. If `asked` is 0, OpenMP's
  /// variables determine the number. `flags` are the flags of GOMP_parallel, if known.
  void opens(const OpenmpRuntime& runtime, unsigned asked, std::optional<unsigned> flags) noexcept;

  /// Called when the pool may have lost its threads: the library opens no region before the next opens().
  void forget() noexcept { threads_ = 0; }

  /// From now on opens no region for this thread: it has several pools, which the library cannot tell apart.
  void abandon() noexcept { is_abandoned_ = true; }

  /// Why there is no region of the library for a call. process/openmp.cpp has texts in this order.
  enum class Obstacle {
    none,
    at_barrier,       ///< threads at a barrier of the program's region help instead
    little,           ///< too few bytes
    crowded,          ///< the pool has more threads than the process has cores
    bindings,         ///< threads are bound to places, and the last region's binding is unknown
    settings,         ///< the next region may have other threads: omp_set_dynamic, or OpenMP's limits
    several_runtimes, ///< several OpenMP runtimes in this process
    nobody_waits,     ///< no thread of the program's region is at a barrier
    in_region,        ///< the owner is in a parallel region
    no_pool,          ///< the program has had no region of several threads whose properties are all known
    obstacles
  };
  /// Returns why no MPI call can have a region of the library now; `none` if one can.
  Obstacle obstacle() const noexcept;

  /// Returns the number of threads of a library's region, with the owner; at least 2 if obstacle() is `none`.
  int threads() const noexcept { return threads_; }

  /// Returns whether the threads of a region save more time in copying this many bytes than the region takes.
  /// Opens empty regions to measure, at first and from time to time. Call it if obstacle() is `none`.
  bool pays(std::size_t bytes) noexcept {
    return cost_.pays(bytes, [this] { return measure(); });
  }
  const RegionCost& cost() const noexcept { return cost_; }

  /// Opens a region in which the owner calls `work()` and the other threads run chunks of `team`. Returns
  /// when `work()` has returned and the other threads have stopped. An exception of `work()` leaves run().
  /// Call it only if obstacle() is `none`, and always with the same team, which must outlive the owner.
  template <class Work>
  void run(Team& team, const Work& work) {
    open(
        team, [](const void* given) { (*static_cast<const Work*>(given))(); }, &work);
  }

private:
  struct ParallelRegion;

  void open(Team& team, void (*work)(const void*), const void* given);
  void take_part(ParallelRegion& region);
  void help(ParallelRegion& region, Member*& place) noexcept;
  RegionCost::Duration measure() const noexcept;

  const OpenmpRuntime* runtime_ = nullptr;
  int threads_ = 0;               // of the program's last region of several threads; 0 if unknown
  std::optional<unsigned> flags_; // of that region
  bool is_abandoned_ = false;
  std::vector<Member*> places_; // by OpenMP's thread number - 1; each thread sets its own element
  RegionCost cost_;
};

} // namespace helper::team
