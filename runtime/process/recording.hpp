// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "settings/settings.hpp"
#include "trace/timeline.hpp"

namespace helper::process {

/// Compares this rank's clock with rank 0's. Collective; no other messages may be in flight on `comm`.
trace::ClockMap::Comparison compare_clocks(MPI_Comm comm);

/// Receives a text of any length from rank `source`.
std::string receive_text(int source, MPI_Comm comm);

/// Records what the teams of all ranks do. Rank 0 shows what its settings ask for: counters, a timeline.
class Recording {
public:
  /// Begins to record. Collective over MPI_COMM_WORLD; called before any team is made. Returns nullptr if
  /// nothing is to be recorded.
  static std::unique_ptr<Recording> begin(const settings::Settings& settings);

  /// Ends recording, shows what was recorded, and forgets it. Called when no member records any more. If
  /// helpers had no cores of their own, `crowding` says so, and rank 0 prints it after the table. Collective.
  void end(const std::string& crowding);

  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

private:
  /// Decisions of rank 0 for all ranks.
  struct RecordingPlan {
    std::int64_t counters = 0;
    std::int64_t timeline = 0;
    std::int64_t spans = 0;   // number of spans that each member's timeline keeps
    std::int64_t origin = 0;  // the timeline's zero, in nanoseconds of rank 0's clock
    std::int64_t threads = 0; // of the transparent mode
  };
  using Sink = std::function<void(const std::string&)>;

  Recording(const RecordingPlan& plan, std::string path, std::ofstream file);

  void relay(const std::function<void(const Sink&)>& produce, const Sink& consume,
             const std::function<void()>& end_of_rank) const;
  void show_counters(const std::string& crowding) const;
  void write_timeline();
  void report_dropped() const;

  const RecordingPlan plan_;
  const std::string path_;
  std::ofstream file_;            // of rank 0
  MPI_Comm comm_ = MPI_COMM_NULL; // a private communicator: the user's messages cannot arrive there
  int rank_ = 0;
  int size_ = 0;
  trace::ClockMap::Comparison first_comparison_{};
};

} // namespace helper::process
