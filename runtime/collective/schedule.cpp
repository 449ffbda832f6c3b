// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/schedule.hpp"

#include <algorithm>
#include <utility>

namespace helper::collective {

std::size_t Schedule::kept(std::size_t had) const noexcept {
  const auto half = [](std::size_t of) { return (of + 1) / 2; };
  return had > nodes_ ? nodes_ * half(had / nodes_) : half(had);
}

void Schedule::reverse(std::size_t first) {
  std::ranges::reverse(steps().subspan(first));
  for (ScheduleStep& step : steps().subspan(first)) {
    step.to = (step.to + (step.times - 1) * step.to_moves) % ranks_;
    step.from = (step.from + (step.times - 1) * step.from_moves) % ranks_;
    step.to_moves = (ranks_ - step.to_moves) % ranks_;
    step.from_moves = (ranks_ - step.from_moves) % ranks_;
    std::swap(step.to, step.from);
    std::swap(step.to_moves, step.from_moves);
    std::swap(step.out, step.in);
  }
}

} // namespace helper::collective
