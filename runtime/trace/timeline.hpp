// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "trace/track.hpp"

namespace helper::trace {

/// Translates times of this process's clock into times of rank 0's clock, using two comparisons of the
/// clocks. Both clocks are assumed to run evenly between the comparisons.
class ClockMap {
public:
  struct Comparison {
    Clock::time_point here;
    std::chrono::nanoseconds ahead; ///< how much this process's clock was ahead of rank 0's
  };
  ClockMap(const Comparison& first, const Comparison& last) noexcept : first_(first), last_(last) {}

  /// Returns nanoseconds of rank 0's clock. The translation preserves the order of times.
  std::int64_t operator()(Clock::time_point here) const noexcept;

private:
  Comparison first_;
  Comparison last_;
};

/// A timeline in the Chrome trace event format is `timeline_begin`, all ranks' events, and `timeline_end`.
inline constexpr const char* timeline_begin = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
inline constexpr const char* timeline_end = "\n]}\n";

/// Passes the events of rank `rank` to `sink`, in pieces of about `piece` bytes. Times are relative to
/// `origin`, in nanoseconds of rank 0's clock.
void write_events(const std::deque<Track>& tracks, int rank, const ClockMap& clock, std::int64_t origin,
                  std::size_t piece, const std::function<void(const std::string&)>& sink);

} // namespace helper::trace
