// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "settings/settings.hpp"
#include "trace/timeline.hpp"

namespace helper::process {

/// Compares the clock of this process with rank 0's. It is collective; no message of others may be there.
trace::ClockMap::Comparison compare_clocks(MPI_Comm comm);

/// Receives a text of any length.
std::string receive_text(int source, MPI_Comm comm);

/// Records what the teams of all ranks do, which rank 0 shows as its settings ask: counters as a table on
/// standard error, a timeline in a file.
class Recording {
public:
  /// Begins to record. It is collective over MPI_COMM_WORLD; called before any team is made. Returns nullptr,
  /// at all ranks alike, if nothing is to be recorded.
  static std::unique_ptr<Recording> begin(const settings::Settings& settings);

  /// Ends recording, shows what was recorded, and forgets it; called when no member records any more. Rank 0
  /// shows after the table that helpers had no cores of their own, if `crowding` says so. It is collective.
  void end(const std::string& crowding);

  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

private:
  /// Decisions of rank 0 for all ranks.
  struct RecordingPlan {
    std::int64_t counters = 0;
    std::int64_t timeline = 0;
    std::int64_t spans = 0;   // that each member's timeline keeps
    std::int64_t origin = 0;  // the timeline's zero, in nanoseconds of rank 0's clock
    std::int64_t threads = 0; // of the transparent mode
  };
  struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, CloseFile>;
  using Sink = std::function<void(const std::string&)>;

  Recording(const RecordingPlan& plan, std::string path, File file);

  void relay(const std::function<void(const Sink&)>& produce, const Sink& consume,
             const std::function<void()>& end_of_rank) const;
  void show_counters(const std::string& crowding) const;
  void write_timeline();
  void report_dropped() const;

  const RecordingPlan plan_;
  const std::string path_;
  File file_;                     // of rank 0
  MPI_Comm comm_ = MPI_COMM_NULL; // the library's own: nothing of the user's can be received there
  int rank_ = 0;
  int size_ = 0;
  trace::ClockMap::Comparison first_comparison_{};
};

} // namespace helper::process
