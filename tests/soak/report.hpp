// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

/// What is said when the traffic goes wrong, and by whom: all that is needed to do it again.
namespace soak::report {

/// At most so many threads have traffic.
inline constexpr int most_lanes = 8;

/// To be called by the main thread when a lap begins, while it is alone: the rank, the lap's seed.
void begin_lap(int rank, std::uint64_t seed);

/// The calling thread, which has this lane's traffic, begins a step.
void begin_step(int lane, int number, const char* kind);

/// Says on standard error what is wrong and where, and ends the process without a word to MPI: its launcher
/// then ends the other ranks.
[[noreturn]] void fail(const std::string& what);

inline void require(bool holds, const std::string& what) {
  if (!holds) fail(what);
}

/// Fails if there is anything to say.
inline void require_nothing(const std::string& wrong) {
  if (!wrong.empty()) fail(wrong);
}

/// From now on it is said where the process crashes, before what happens otherwise.
void watch_for_crashes();

/// While this lives a lap must not take longer than `limit`; otherwise it is said where each lane is, and the
/// process ends.
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
