// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/store_choice.hpp"

namespace helper::pipeline {

StoreChoice::Stores StoreChoice::choose() noexcept {
  constexpr unsigned turns_between_trials = 64;
  const bool plain_is_faster = cost(Stores::plain).load(std::memory_order_relaxed) <
                               cost(Stores::streaming).load(std::memory_order_relaxed);
  const bool trial = turn_.fetch_add(1, std::memory_order_relaxed) % turns_between_trials == 0;
  return plain_is_faster != trial ? Stores::plain : Stores::streaming;
}

void StoreChoice::learn(Stores stores, std::size_t bytes, Clock::duration time) noexcept {
  constexpr float weight = 0.25F;
  const auto now = std::chrono::duration<float, std::nano>(time).count() / static_cast<float>(bytes);
  const float before = cost(stores).load(std::memory_order_relaxed);
  cost(stores).store(before == 0 ? now : before + weight * (now - before), std::memory_order_relaxed);
}

} // namespace helper::pipeline
