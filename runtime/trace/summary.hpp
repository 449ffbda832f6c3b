// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "trace/track.hpp"

namespace helper::trace {

/// Returns the counters of a process's tracks as text that Summary::add() reads.
std::string counters_text(const std::deque<Track>& tracks);

/// Sums up what the teams of all processes did, by team id and MPI function.
class Summary {
public:
  /// Adds the counters of one more process: the text that counters_text() has returned there.
  void add(const std::string& counters);

  /// Returns whether no process has recorded anything.
  bool is_empty() const noexcept { return rows_.empty(); }

  /// Returns a table of at most 100 columns. A function has several lines: its totals, the algorithms that
  /// carried calls, the reasons for declining calls, who ran chunks, and how processes differ.
  std::string table() const;

private:
  /// The minimum, mean and maximum of the processes' times, in nanoseconds.
  struct Times {
    void add(std::int64_t time) noexcept;
    std::string mean() const;
    std::string range() const;

    std::int64_t least = 0;
    std::int64_t sum = 0;
    std::int64_t greatest = 0;
    int processes = 0;
  };
  struct SummaryRow {
    std::array<std::uint64_t, 3> calls{}; // by Way
    std::uint64_t bytes = 0;
    Times time;
    Times waiting;
    std::uint64_t own_chunks = 0;
    std::map<int, std::uint64_t> helped_chunks; // by the number of the helper that ran them
    std::map<std::string, std::uint64_t> algorithms, declined;
  };
  using Key = std::pair<int, std::string>; // team, function

  std::map<Key, SummaryRow> rows_;
};

} // namespace helper::trace
