// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>

namespace helper::pipeline {

/// Learns which of two ways to do the same is the faster one, where that hangs on what the system does not
/// tell: whether cores share a cache, say, least of all in a virtual machine, and threads move. So both are
/// tried now and then. Any thread may call anything. What is learned is a hint: atomics are relaxed and order
/// nothing. `Way` is an enumeration of the two.
template <class Way>
class Choice {
public:
  using Clock = std::chrono::steady_clock;

  /// What to do this time.
  struct Turn {
    Way way;
    bool timed; ///< learn() is wanted; it is welcome in any case, but a clock takes as long as some kilobytes
    bool settled; ///< earlier turns went the same way, so that lines are where this one leaves them
    bool trial;   ///< this turn is only to know how long it takes
  };

  /// The faster way as far as is known: at first the second, then the first, then whichever it is, and once
  /// in a while the other one, to keep knowing. After `until_settled` turns of the first way lines are where
  /// this leaves them; after one of the second.
  Turn choose(unsigned until_settled = 1) noexcept;

  /// Tells how long it took in this turn, of so many bytes.
  void learn(const Turn& turn, std::size_t bytes, Clock::duration time) noexcept;

private:
  static constexpr Way first{0};
  static constexpr Way second{1};

  std::atomic<float>& cost(Way way) noexcept { return cost_[static_cast<std::size_t>(way)]; }

  // Nanoseconds per byte, smoothed; 0 if not known. Updates may overwrite one another.
  std::array<std::atomic<float>, 2> cost_{};
  // Counts the calls of choose().
  std::atomic<unsigned> turn_{0};
  // What it returned last, and how many times running.
  std::atomic<Way> last_{second};
  std::atomic<unsigned> running_{0};
};

/// One for each kind of data: about as large, and as dense.
template <class Way>
class Choices {
public:
  Choice<Way>& of(std::size_t bytes, bool is_dense) noexcept {
    return choices_[is_dense ? 1 : 0][static_cast<std::size_t>(std::bit_width(bytes))];
  }

private:
  static constexpr std::size_t sizes = 65; // by the number of bits
  std::array<std::array<Choice<Way>, sizes>, 2> choices_;
};

template <class Way>
auto Choice<Way>::choose(unsigned until_settled) noexcept -> Turn {
  // Programs repeat calls in loops, of which the first finds the caches cold. The length of a loop is hardly
  // a divisor of the turns between trials or times, so that both meet all of its calls.
  constexpr unsigned turns_between_times = 29;
  const bool first_is_faster =
      cost(first).load(std::memory_order_relaxed) < cost(second).load(std::memory_order_relaxed);
  const unsigned turns_of_trial = 1 + (first_is_faster ? 1 : until_settled);
  const unsigned number = turn_.fetch_add(1, std::memory_order_relaxed);
  // More often at first, when caches and pages are cold and little is known.
  const unsigned trials_apart = number < 256 ? 8 : 30;
  const unsigned turns_between_trials = trials_apart * turns_of_trial + 4 * until_settled + 1;
  const unsigned turn = number % turns_between_trials;
  const bool trial = turn + turns_of_trial >= turns_between_trials;
  const Way way = first_is_faster != trial ? first : second;
  const bool known = cost(way).load(std::memory_order_relaxed) != 0;
  if (last_.exchange(way, std::memory_order_relaxed) != way) running_.store(0, std::memory_order_relaxed);
  const bool settled = running_.fetch_add(1, std::memory_order_relaxed) >= (way == first ? until_settled : 1);
  return {way, settled && (trial || !known || turn % turns_between_times == 0), settled, trial || !known};
}

template <class Way>
void Choice<Way>::learn(const Turn& turn, std::size_t bytes, Clock::duration time) noexcept {
  if (!turn.settled) return;
  // A time that is longer than before may be that of a thread which the system suspended, or whose peer came
  // late, and says little about the way; a shorter one does.
  constexpr float weight_of_longer = 0.125F;
  constexpr float outlier = 4;
  const auto now = std::chrono::duration<float, std::nano>(time).count() / static_cast<float>(bytes);
  const float before = cost(turn.way).load(std::memory_order_relaxed);
  const float sample = before == 0 ? now : std::min(now, outlier * before);
  const float weight = before != 0 && sample > before ? weight_of_longer : 1;
  cost(turn.way).store(before + weight * (sample - before), std::memory_order_relaxed);
}

} // namespace helper::pipeline
