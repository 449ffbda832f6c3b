// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests what members record on their tracks.

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "team/registry.hpp"
#include "team/team_support.hpp"
#include "trace/track.hpp"

using namespace helper::team;
using namespace helper::trace;
using test_support::Actor;
using test_support::Meeting;

namespace {

constexpr std::size_t spans = 1000;

/// Starts to record. Each test has teams with ids of its own, and so tracks of its own.
void record() {
  static const bool once = (start(spans), true);
  static_cast<void>(once);
}

/// Returns the track of a member of a team.
const Track& track_of(int team, int member) {
  return *std::ranges::find_if(
      tracks(), [&](const Track& track) { return track.team() == team && track.member() == member; });
}

const Counters& counters_of(const Track& track, const std::string& operation) {
  const auto found = std::ranges::find_if(
      track.counters(), [&](const Counters& counters) { return counters.operation == operation; });
  REQUIRE(found != track.counters().end());
  return *found;
}

std::vector<Span> spans_of(const Track& track, Span::SpanKind kind) {
  std::vector<Span> found;
  for (std::size_t index = 0; index < track.kept(); ++index) {
    if (track.span(index).kind == kind) found.push_back(track.span(index));
  }
  return found;
}

void nothing(void*, std::size_t, std::size_t) noexcept {}

} // namespace

TEST_CASE("Nothing is recorded until it is asked for") {
  Team team(1, 1, {});
  CHECK(team.add().track() == nullptr);
  CHECK(tracks().empty());
}

TEST_CASE("A call is counted by who did it, with its bytes, its time and why it was declined") {
  record();
  Team team(2, 1, {});
  Member& member = team.add();
  for (const Way way : {Way::native, Way::carried, Way::carried, Way::lent}) {
    const Call call(member.track(), "MPI_Bcast");
    member.track()->went(way);
    member.track()->moved(1000, 7);
    if (way != Way::carried) CHECK_FALSE(std::optional<int>(member.decline("one rank")).has_value());
  }
  const Counters& counters = counters_of(track_of(2, 0), "MPI_Bcast");
  CHECK(counters.calls[0].value() == 2);
  CHECK(counters.calls[1].value() == 1);
  CHECK(counters.calls[2].value() == 1);
  CHECK(counters.bytes.value() == 4000);
  REQUIRE(counters.declined.size() == 1);
  CHECK(counters.declined[0].text == std::string("one rank"));
  CHECK(counters.declined[0].calls == 2);

  Clock::duration time{};
  const auto calls = spans_of(track_of(2, 0), Span::SpanKind::operation);
  for (const Span& span : calls) {
    CHECK(span.operation == std::string("MPI_Bcast"));
    CHECK(span.size == 1000);
    CHECK(span.other == 7);
    time += span.end - span.begin;
  }
  CHECK(calls.size() == 4);
  CHECK(counters.time.value() == time);
}

TEST_CASE("Chunks are counted for the operation and the member they were done for") {
  record();
  Actor helper;
  const Handle helping = helper.does([] { return create(3, 2, {}); });
  auto blocked = helper.begin([&] {
    join(helping);
    leave(helping);
    free(helping);
  });
  const Handle handle = create(3, 2, {});
  const int own = member(handle).index();
  join(handle);
  Member& primary = *presence.member();
  {
    const Call call(primary.track(), "MPI_Reduce");
    Meeting meeting(2); // each thread does one chunk
    Job job = meeting.job();
    job.stage = Stage::reduce;
    primary.run(job);
    primary.run({nothing, nullptr, 5, 5, Stage::copy}); // one chunk, run on the spot
    primary.run({nothing, nullptr, 0, 5, Stage::copy}); // has no chunk
  }
  leave(handle);
  free(handle);
  blocked.get();

  const Track& of_primary = track_of(3, own);
  const Track& of_helper = track_of(3, 1 - own);
  CHECK(counters_of(of_primary, "MPI_Reduce").own_chunks.value() == 2);
  CHECK(counters_of(of_primary, "MPI_Reduce").helped_chunks.value() == 0);
  CHECK(counters_of(of_helper, "MPI_Reduce").own_chunks.value() == 0);
  CHECK(counters_of(of_helper, "MPI_Reduce").helped_chunks.value() == 1);
  const auto helped = spans_of(of_helper, Span::SpanKind::chunk);
  REQUIRE(helped.size() == 1);
  CHECK(helped[0].stage == Stage::reduce);
  CHECK(helped[0].other == own);
  CHECK(helped[0].size == 1);
  const auto done = spans_of(of_primary, Span::SpanKind::chunk);
  REQUIRE(done.size() == 2);
  CHECK(done[1].stage == Stage::copy);
  CHECK(done[1].size == 5);
  CHECK(counters_of(of_helper, "MPI_Helper_leave").calls[static_cast<std::size_t>(Way::lent)].value() == 1);
}

TEST_CASE("Waiting lasts until something is done, and belongs to the call that waits") {
  record();
  Team team(4, 1, {});
  Member& member = team.add();
  {
    const Call call(member.track(), "MPI_Recv");
    const auto before = Clock::now();
    int polls = 0;
    member.lend_until([&] { return ++polls > 2 && Clock::now() - before > std::chrono::milliseconds(1); },
                      [] { return std::string(); }, Woken::perhaps);
  }
  const auto waits = spans_of(track_of(4, 0), Span::SpanKind::wait);
  const auto calls = spans_of(track_of(4, 0), Span::SpanKind::operation);
  REQUIRE(waits.size() == 1);
  REQUIRE(calls.size() == 1);
  CHECK(waits[0].operation == std::string("MPI_Recv"));
  CHECK(calls[0].begin <= waits[0].begin);
  CHECK(waits[0].end <= calls[0].end);
  CHECK(counters_of(track_of(4, 0), "MPI_Recv").waiting.value() == waits[0].end - waits[0].begin);
}

TEST_CASE("Messages that are under way together are one span") {
  record();
  Team team(5, 1, {});
  Track* const track = team.add().track();
  Transit transit(Stage::send);
  transit.arrived(track); // nothing has been sent
  transit.add(track, 100);
  transit.add(track, 20);
  transit.arrived(track);
  transit.arrived(track);
  transit.add(track, 3);
  transit.arrived(track);
  const auto messages = spans_of(*track, Span::SpanKind::messages);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].size == 120);
  CHECK(messages[1].size == 3);
  CHECK(messages[0].stage == Stage::send);
}

TEST_CASE("The last spans are kept, in order, and counters count all") {
  Track track(6, 0, 10);
  for (std::uint64_t i = 0; i < 25; ++i) {
    track.enter("MPI_Send");
    track.moved(i, 2);
    track.leave();
    const std::uint64_t kept = std::min<std::uint64_t>(i + 1, 10);
    REQUIRE(track.kept() == kept);
    for (std::size_t index = 0; index < kept; ++index)
      REQUIRE(track.span(index).size == i + 1 - kept + index);
  }
  CHECK(track.recorded() == 25);
  CHECK(counters_of(track, "MPI_Send").bytes.value() == 300);

  Track counting(6, 1, 0);
  counting.enter("MPI_Send");
  counting.leave();
  CHECK(counting.kept() == 0);
  CHECK(counters_of(counting, "MPI_Send").calls[0].value() == 1);
}

TEST_CASE("A team that is made anew continues its tracks; two of one id at a time do not share one") {
  record();
  const auto count = [] {
    return std::ranges::count_if(tracks(), [](const Track& track) { return track.team() == 7; });
  };
  for (int generation = 0; generation < 3; ++generation) {
    Team team(7, 2, {});
    team.add();
    team.add();
  }
  CHECK(count() == 2);
  Team one(7, 2, {});
  Team other(7, 2, {});
  const Member& first = one.add();
  const Member& second = other.add();
  CHECK(first.track() != second.track());
  CHECK(count() == 3);
}
