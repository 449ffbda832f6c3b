// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

/// Reports errors in the traffic, with all that is needed to repeat it.
namespace soak::report {

/// The greatest number of lanes, and so of threads with traffic.
inline constexpr int most_lanes = 8;

/// The main thread calls it when a lap begins, while it is the only thread. `seed` is the seed of the lap.
void begin_lap(int rank, std::uint64_t seed);

/// The thread of lane `lane` calls it when it begins a step.
void begin_step(int lane, int number, const char* kind);

/// Prints on standard error what is wrong and where. Exits without calling MPI, so that the launcher ends the
/// other ranks.
[[noreturn]] void fail(const std::string& what);

inline void require(bool holds, const std::string& what) {
  if (!holds) fail(what);
}

/// Fails if the text is not empty.
inline void require_nothing(const std::string& wrong) {
  if (!wrong.empty()) fail(wrong);
}

/// From now on a crash is reported with the current step, before the former handler of the signal runs.
void watch_for_crashes();

/// While the object lives, no lap may take longer than `limit`. If one does, the step of each lane is
/// printed, and the process exits.
class Watchdog {
public:
  explicit Watchdog(std::chrono::seconds limit);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

private:
  struct Thread;
  Thread* const thread_;
};

} // namespace soak::report
