// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/doorbell.hpp"

#include "team/futex.hpp"

namespace helper::team {

void Doorbell::ring(int wake) noexcept {
  rings_.fetch_add(1, std::memory_order_seq_cst);
  if (wake > 0 && sleepers_.load(std::memory_order_seq_cst) != 0)
    futex::wake(rings_, wake, futex::Reach::process);
}

bool Doorbell::spin(std::uint32_t seen, Clock::duration time) const noexcept {
  if (time == Clock::duration::zero()) return false;
  constexpr int looks_per_clock_read = 64;
  const auto end = Clock::now() + time;
  do {
    for (int look = 0; look < looks_per_clock_read; ++look) {
      if (rings() != seen) return true;
      spin_pause();
    }
  } while (Clock::now() < end);
  return false;
}

void Doorbell::wait(std::uint32_t seen, Clock::duration spin_time, Clock::time_point until) noexcept {
  if (spin(seen, spin_time)) return;
  std::uint32_t rung = announce();
  for (; rung == seen && Clock::now() < until; rung = rings()) futex::wait(rings_, seen, until);
  retract();
}

} // namespace helper::team
