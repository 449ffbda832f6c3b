// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>

namespace helper::pipeline {

/// How to write memory that another core has read and will read. A plain store first fetches the line from
/// wherever it is, which between cores that share no cache runs at 3 GB/s. A streaming store goes past the
/// caches, always at 29 GB/s, but then the reader finds the line in memory, at 19 GB/s, and not in a cache,
/// at 45.
enum class Stores { plain, streaming };

/// Learns which are the faster ones, writing and reading together. Which cores share a cache the system often
/// does not tell, least of all a virtual machine, and threads move; so both ways are tried now and then. Any
/// thread may call anything. What is learned is a hint: atomics are relaxed and order nothing.
class StoreChoice {
public:
  using Clock = std::chrono::steady_clock;

  /// How to write this time.
  struct Turn {
    Stores stores;
    bool timed; ///< learn() is wanted; it is welcome in any case, but a clock takes as long as some kilobytes
    bool settled; ///< turns before wrote in the same way, so that lines are where these stores leave them
  };

  /// The faster way as far as is known; once in a while the other one, to keep knowing. After `until_settled`
  /// turns of plain stores lines are where these leave them; after one of streaming stores.
  Turn choose(unsigned until_settled = 1) noexcept;

  /// Tells how long it took in this turn until `bytes` bytes had been written and read.
  void learn(const Turn& turn, std::size_t bytes, Clock::duration time) noexcept;

private:
  std::atomic<float>& cost(Stores stores) noexcept { return cost_[static_cast<std::size_t>(stores)]; }

  // Nanoseconds per byte, smoothed. Updates may overwrite one another.
  std::array<std::atomic<float>, 2> cost_{};
  // Counts the calls of choose().
  std::atomic<unsigned> turn_{0};
  // What it returned last, at first not what it will return, and how many times running.
  std::atomic<Stores> last_{Stores::streaming};
  std::atomic<unsigned> running_{0};
};

/// One for each kind of data: about as large, and as dense.
class StoreChoices {
public:
  StoreChoice& of(std::size_t bytes, bool is_dense) noexcept {
    return choices_[is_dense ? 1 : 0][static_cast<std::size_t>(std::bit_width(bytes))];
  }

private:
  static constexpr std::size_t sizes = 65; // by the number of bits
  std::array<std::array<StoreChoice, sizes>, 2> choices_;
};

} // namespace helper::pipeline
