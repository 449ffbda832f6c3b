// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "trace/timeline.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

namespace helper::trace {

namespace {

constexpr std::array stages{"work", "pack", "send", "receive", "reduce", "unpack", "copy"};
constexpr std::array ways{"carried", "lent", "native"};

template <class Names, class Enum>
std::string name_of(const Names& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

// These return members of a JSON object, each after a comma. Names of the library and MPI need no escaping.
std::string member(const std::string& key, const std::string& text) {
  return ",\"" + key + "\":\"" + text + '"';
}
std::string member(const std::string& key, std::uint64_t value) {
  return ",\"" + key + "\":" + std::to_string(value);
}
std::string object(const std::string& key, const std::string& members) {
  return ",\"" + key + "\":{" + members.substr(1) + '}';
}

/// Returns a time in nanoseconds as an exact number of microseconds, the format's unit.
std::string microseconds(std::int64_t time) {
  const std::int64_t size = std::abs(time);
  return (time < 0 ? "-" : "") + std::to_string(size / 1000) + '.' +
         std::to_string(1000 + size % 1000).substr(1);
}

/// Returns a span's name, its category and its other properties.
std::string description(const Span& span, const Track& track) {
  const std::string part_of =
      member("operation", span.operation == nullptr ? "none" : std::string(span.operation));
  switch (span.kind) {
  case Span::SpanKind::operation:
    return member("name", span.operation) + member("cat", "operation") +
           object("args", member("bytes", span.size) +
                              member("ranks", static_cast<std::uint64_t>(span.other)) +
                              member("way", name_of(ways, span.way)) +
                              (span.algorithm == nullptr ? "" : member("algorithm", span.algorithm)));
  case Span::SpanKind::chunk: {
    const bool helping = span.other != track.member();
    const std::string whose = "member " + std::to_string(span.other);
    return member("name", name_of(stages, span.stage) + (helping ? " for " + whose : "")) +
           member("cat", helping ? "helping" : "work") +
           object("args", part_of + member("stage", name_of(stages, span.stage)) + member("job of", whose) +
                              member("size", span.size));
  }
  case Span::SpanKind::messages:
    return member("name", name_of(stages, span.stage)) + member("cat", "messages") +
           object("args", part_of + member("bytes", span.size));
  case Span::SpanKind::wait:
    break;
  }
  return member("name", "waiting") + member("cat", "waiting") + object("args", part_of);
}

/// Collects the events of one process and passes them on in pieces.
struct Events {
  const int rank;
  const ClockMap& clock;
  const std::int64_t origin;
  const std::size_t piece;
  const std::function<void(const std::string&)>& sink;
  std::string separator = rank == 0 ? "" : ",";
  std::string text{};

  void name(const char* what, std::size_t lane, const std::string& name) {
    add("M", lane, member("name", what) + object("args", member("name", name)));
  }
  void span(std::size_t lane, std::size_t index, const Span& span, const Track& track);
  void give_away() {
    sink(text);
    text.clear();
  }
  void add(const char* phase, std::size_t lane, const std::string& members) {
    text += separator + "\n{\"ph\":\"" + phase + '"' + member("pid", static_cast<std::uint64_t>(rank)) +
            member("tid", lane) + members + '}';
    separator = ",";
    if (text.size() >= piece) give_away();
  }
};

// A lane shows one thread. Its spans are nested; messages overlap, so they are pairs of asynchronous events.
void Events::span(std::size_t lane, std::size_t index, const Span& span, const Track& track) {
  const std::int64_t begin = clock(span.begin) - origin;
  const std::int64_t end = clock(span.end) - origin;
  const std::string described = description(span, track);
  if (span.kind != Span::SpanKind::messages) {
    add("X", lane, ",\"ts\":" + microseconds(begin) + ",\"dur\":" + microseconds(end - begin) + described);
    return;
  }
  const std::string id = std::to_string(rank) + "." + std::to_string(lane) + "." + std::to_string(index);
  add("b", lane, ",\"ts\":" + microseconds(begin) + member("id", id) + described);
  add("e", lane, ",\"ts\":" + microseconds(end) + member("id", id) + described);
}

} // namespace

std::int64_t ClockMap::operator()(Clock::time_point here) const noexcept {
  using Nanoseconds = std::chrono::duration<double, std::nano>;
  const auto total = Nanoseconds(last_.here - first_.here).count();
  const double passed = total > 0 ? Nanoseconds(here - first_.here).count() / total : 0;
  const auto drift = static_cast<double>((last_.ahead - first_.ahead).count()) * passed;
  return std::chrono::nanoseconds(here.time_since_epoch()).count() - first_.ahead.count() -
         std::llround(drift);
}

void write_events(const std::deque<Track>& tracks, int rank, const ClockMap& clock, std::int64_t origin,
                  std::size_t piece, const std::function<void(const std::string&)>& sink) {
  Events events{rank, clock, origin, piece, sink};
  events.name("process_name", 0, "rank " + std::to_string(rank));
  for (std::size_t lane = 0; lane < tracks.size(); ++lane) {
    const Track& track = tracks[lane];
    const std::size_t dropped = track.recorded() - track.kept();
    events.name("thread_name", lane + 1,
                "team " + std::to_string(track.team()) + ", member " + std::to_string(track.member()) +
                    (dropped == 0 ? "" : " (" + std::to_string(dropped) + " oldest spans dropped)"));
    for (std::size_t index = 0; index < track.kept(); ++index)
      events.span(lane + 1, index, track.span(index), track);
  }
  events.give_away();
}

} // namespace helper::trace
