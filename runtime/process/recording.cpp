// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/recording.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <utility>

#include "process/process.hpp"
#include "ranks/world.hpp"
#include "trace/summary.hpp"
#include "trace/track.hpp"

namespace helper::process {

namespace {

using std::chrono::nanoseconds;
using trace::Clock;

/// The approximate size of a message to rank 0, in bytes.
constexpr std::size_t piece = std::size_t{256} * 1024;

std::int64_t now() {
  return nanoseconds(Clock::now().time_since_epoch()).count();
}

void print_no_team(bool is_transparent) {
  print(is_transparent
            ? "no team took part in MPI calls: the program made none that could be carried"
            : "no team took part in MPI calls: set MPI_HELPER_THREADS, or JOIN a team in the program");
}

void print_problem(const std::string& path, const std::string& problem) {
  print("MPI_HELPER_TRACE=" + path + ": " + problem);
}

} // namespace

// One rank after the other asks rank 0 repeatedly for its time. The fastest answer is the most exact. Rank 0
// read its clock at some moment between question and receipt, so a difference of up to half that interval
// counts as zero. So the ranks of a node, which read the same clock, agree exactly.
trace::ClockMap::Comparison compare_clocks(MPI_Comm comm) {
  constexpr int questions = 10;
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  trace::ClockMap::Comparison best{Clock::now(), nanoseconds(0)};
  nanoseconds shortest = nanoseconds::max();
  for (int asking = 1; asking < size; ++asking) {
    for (int question = 0; question < questions; ++question) {
      if (rank == 0) {
        PMPI_Recv(nullptr, 0, MPI_BYTE, asking, 0, comm, MPI_STATUS_IGNORE);
        const std::int64_t time = now();
        PMPI_Send(&time, 1, MPI_INT64_T, asking, 0, comm);
      } else if (rank == asking) {
        const auto asked = Clock::now();
        std::int64_t time = 0;
        PMPI_Sendrecv(nullptr, 0, MPI_BYTE, 0, 0, &time, 1, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE);
        const nanoseconds took = Clock::now() - asked;
        if (took >= shortest) continue;
        shortest = took;
        best.here = asked + took / 2;
        best.ahead = nanoseconds(best.here.time_since_epoch()) - nanoseconds(time);
      }
    }
  }
  if (std::abs(best.ahead.count()) <= shortest.count() / 2) best.ahead = nanoseconds(0);
  return best;
}

std::string receive_text(int source, MPI_Comm comm) {
  MPI_Status status;
  int length = 0;
  PMPI_Probe(source, 0, comm, &status);
  PMPI_Get_count(&status, MPI_CHAR, &length);
  std::string text(static_cast<std::size_t>(length), '\0');
  PMPI_Recv(text.data(), length, MPI_CHAR, source, 0, comm, MPI_STATUS_IGNORE);
  return text;
}

// Tests already here whether the file can be written, so that no record is lost at the end.
std::unique_ptr<Recording> Recording::begin(const settings::Settings& settings) {
  const int rank = ranks::world::own_rank();
  std::ofstream file;
  if (rank == 0 && settings.trace != "off") {
    file.imbue(std::locale::classic());
    file.open(settings.trace);
    if (!file.is_open()) print_problem(settings.trace, std::string(std::strerror(errno)) + "; no timeline");
  }
  RecordingPlan plan{settings.stats ? 1 : 0, file.is_open() ? 1 : 0,
                     static_cast<std::int64_t>(settings.trace_spans), now(), settings.threads};
  PMPI_Bcast(&plan, sizeof plan, MPI_BYTE, 0, ranks::world::comm());
  if (plan.counters == 0 && plan.timeline == 0) return nullptr;
  return std::unique_ptr<Recording>(new Recording(plan, settings.trace, std::move(file)));
}

Recording::Recording(const RecordingPlan& plan, std::string path, std::ofstream file)
    : plan_(plan), path_(std::move(path)), file_(std::move(file)) {
  PMPI_Comm_dup(ranks::world::comm(), &comm_);
  PMPI_Comm_rank(comm_, &rank_);
  PMPI_Comm_size(comm_, &size_);
  if (plan_.timeline != 0) first_comparison_ = compare_clocks(comm_);
  trace::start(plan_.timeline != 0 ? static_cast<std::size_t>(plan_.spans) : 0);
}

Recording::~Recording() {
  PMPI_Comm_free(&comm_);
}

void Recording::end(const std::string& crowding) {
  if (plan_.counters != 0) show_counters(crowding);
  if (plan_.timeline != 0) write_timeline();
  trace::clear();
}

/// Calls `produce` at each rank with a sink. The texts that `produce` gives to the sink go to `consume` at
/// rank 0, one rank after the other. Calls `end_of_rank` at rank 0 after the last text of each rank.
void Recording::relay(const std::function<void(const Sink&)>& produce, const Sink& consume,
                      const std::function<void()>& end_of_rank) const {
  if (rank_ != 0) {
    // The send is synchronous, so that a rank that is ahead waits and does not fill the memory of rank 0.
    const auto send = [this](const std::string& text) {
      PMPI_Ssend(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, 0, comm_);
    };
    produce([&](const std::string& text) {
      if (!text.empty()) send(text);
    });
    send({});
    return;
  }
  produce(consume);
  end_of_rank();
  for (int source = 1; source < size_; ++source) {
    for (std::string text; !(text = receive_text(source, comm_)).empty();) consume(text);
    end_of_rank();
  }
}

void Recording::show_counters(const std::string& crowding) const {
  trace::Summary summary;
  std::string counters;
  relay([](const Sink& sink) { sink(trace::counters_text(trace::tracks())); },
        [&](const std::string& text) { counters += text; },
        [&] {
          summary.add(counters);
          counters.clear();
        });
  if (rank_ != 0) return;
  if (summary.is_empty()) return print_no_team(plan_.threads != 0);
  const std::string of_ranks =
      size_ == 1 ? "times are in ms"
                 : "sums over " + std::to_string(size_) + " ranks; times are means of a rank, in ms";
  print("what the teams did in MPI calls; " + of_ranks + "\n" + summary.table());
  if (!crowding.empty()) print(crowding);
}

void Recording::write_timeline() {
  const trace::ClockMap clock(first_comparison_, compare_clocks(comm_));
  errno = 0;
  if (rank_ == 0) file_ << trace::timeline_begin;
  relay(
      [&](const Sink& sink) {
        trace::write_events(trace::tracks(), rank_, clock, plan_.origin, piece, sink);
      },
      [&](const std::string& text) { file_ << text; }, [] {});
  report_dropped();
  if (rank_ != 0) return;
  file_ << trace::timeline_end;
  file_.close();
  if (file_.fail()) print_problem(path_, std::string(std::strerror(errno)) + "; the timeline is incomplete");
}

void Recording::report_dropped() const {
  enum { recorded, dropped, fields };
  std::array<unsigned long, fields> spans{};
  for (const trace::Track& track : trace::tracks()) {
    spans[recorded] += track.recorded();
    spans[dropped] += track.recorded() - track.kept();
  }
  std::array<unsigned long, fields> all{};
  PMPI_Reduce(spans.data(), all.data(), fields, MPI_UNSIGNED_LONG, MPI_SUM, 0, comm_);
  if (rank_ == 0 && all[recorded] == 0 && plan_.counters == 0) print_no_team(plan_.threads != 0);
  if (rank_ != 0 || all[dropped] == 0) return;
  print_problem(path_, "the oldest " + std::to_string(all[dropped]) + " of " + std::to_string(all[recorded]) +
                           " spans were dropped; MPI_HELPER_TRACE_SPANS sets how many each member keeps");
}

} // namespace helper::process
