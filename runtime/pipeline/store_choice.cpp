// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/store_choice.hpp"

#include <algorithm>

namespace helper::pipeline {

StoreChoice::Turn StoreChoice::choose(unsigned until_settled) noexcept {
  // Programs repeat calls in loops, of which the first finds the caches cold. The length of a loop is hardly
  // a divisor of the turns between trials or times, so that both meet all of its calls.
  const unsigned turns_between_trials = 30 * (until_settled + 1) + 1;
  constexpr unsigned turns_between_times = 11;
  const bool plain_is_faster = cost(Stores::plain).load(std::memory_order_relaxed) <
                               cost(Stores::streaming).load(std::memory_order_relaxed);
  const unsigned turn = turn_.fetch_add(1, std::memory_order_relaxed) % turns_between_trials;
  const bool trial = turn <= (plain_is_faster ? 1 : until_settled);
  const Stores stores = plain_is_faster != trial ? Stores::plain : Stores::streaming;
  if (last_.exchange(stores, std::memory_order_relaxed) != stores)
    running_.store(0, std::memory_order_relaxed);
  const bool settled =
      running_.fetch_add(1, std::memory_order_relaxed) >= (stores == Stores::plain ? until_settled : 1);
  return {stores, settled && (trial || turn % turns_between_times == 0), settled};
}

void StoreChoice::learn(const Turn& turn, std::size_t bytes, Clock::duration time) noexcept {
  if (!turn.settled) return;
  // A time that is longer than before may be that of a thread which the system suspended, or whose peer came
  // late, and says little about stores; a shorter one does.
  constexpr float weight_of_longer = 0.125F;
  constexpr float weight_of_shorter = 0.5F;
  constexpr float outlier = 4;
  const auto now = std::chrono::duration<float, std::nano>(time).count() / static_cast<float>(bytes);
  const float before = cost(turn.stores).load(std::memory_order_relaxed);
  const float sample = before == 0 ? now : std::min(now, outlier * before);
  const float weight = before == 0 ? 1 : sample > before ? weight_of_longer : weight_of_shorter;
  cost(turn.stores).store(before + weight * (sample - before), std::memory_order_relaxed);
}

} // namespace helper::pipeline
