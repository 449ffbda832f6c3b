// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace helper::team {

/// Decides for which calls a parallel region of the library pays: for those that move so many bytes that its
/// threads save more time than the region takes. The first calls measure the time of a region. Later a
/// refused call measures it again, after numbers of refused calls that double up to `most_between`, since the
/// machine may have been busy at first. The minimum of the last measurements counts, since other work only
/// increases them.
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

  /// Returns the number of bytes from which a region pays, as far as known.
  std::size_t least_bytes() const noexcept { return least_bytes_; }
  /// Returns the minimum of the last measurements; 0 before the first.
  Duration cost() const noexcept { return cost_; }

private:
  void add(Duration cost) noexcept {
    costs_[measured_++ % kept] = cost;
    const auto end = costs_.begin() + static_cast<std::ptrdiff_t>(std::min(measured_, kept));
    cost_ = *std::min_element(costs_.begin(), end);
    constexpr std::size_t moved = 5; // bytes per nanosecond, as a rule; another thread copies half of them
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

} // namespace helper::team
