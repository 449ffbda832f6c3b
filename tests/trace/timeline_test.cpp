// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <chrono>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "trace/timeline.hpp"

using namespace helper::trace;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

ClockMap same_clock() {
  return {{Clock::time_point(0s), 0ns}, {Clock::time_point(1s), 0ns}};
}

/// Returns the events in the file of two ranks, which have the tracks `first` and `second`.
json file_of(const std::deque<Track>& first, const std::deque<Track>& second, std::size_t piece) {
  std::string text = timeline_begin;
  const auto sink = [&](const std::string& more) { text += more; };
  write_events(first, 0, same_clock(), 0, piece, sink);
  write_events(second, 1, same_clock(), 0, piece, sink);
  text += timeline_end;
  return json::parse(text)["traceEvents"];
}

json with(const json& events, const std::string& key, const std::string& value) {
  json found = json::array();
  for (const json& event : events) {
    if (event[key] == value) found.push_back(event);
  }
  return found;
}

} // namespace

TEST_CASE("The file is what the tracks recorded, however it is cut into pieces") {
  std::deque<Track> caller;
  std::deque<Track> helper;
  Track& calls = caller.emplace_back(3, 0, 100);
  Track& helps = helper.emplace_back(3, 1, 100);
  calls.enter("MPI_Bcast");
  calls.moved(4096, 2);
  calls.worked(calls.work_begins(), Stage::pack, "MPI_Bcast", 0, 4000);
  calls.transferred(calls.work_begins(), Stage::send, 96);
  calls.leave();
  helps.worked(helps.work_begins(), Stage::unpack, "MPI_Bcast", 0, 4000);

  const json events = file_of(caller, helper, GENERATE(as<std::size_t>{}, 1, 300, 1 << 20));
  CHECK(events.size() == 9);
  CHECK(with(events, "name", "process_name")[1]["args"]["name"] == "rank 1");
  const json lanes = with(events, "name", "thread_name");
  REQUIRE(lanes.size() == 2);
  CHECK(lanes[0]["args"]["name"] == "team 3, member 0");
  CHECK(lanes[1]["args"]["name"] == "team 3, member 1");

  const json call = with(events, "name", "MPI_Bcast")[0];
  CHECK(call["ph"] == "X");
  CHECK(call["args"] == json{{"bytes", 4096}, {"ranks", 2}, {"way", "carried"}});
  const json pack = with(events, "name", "pack")[0];
  CHECK(pack["pid"] == 0);
  CHECK(pack["tid"] == lanes[0]["tid"]);
  CHECK(pack["args"]["size"] == 4000);
  CHECK(pack["ts"].get<double>() >= call["ts"].get<double>());
  const json unpack = with(events, "name", "unpack for member 0")[0];
  CHECK(unpack["pid"] == 1);
  CHECK(unpack["cat"] == "helping");
  CHECK(unpack["args"]["operation"] == "MPI_Bcast");
  const json send = with(events, "name", "send");
  REQUIRE(send.size() == 2);
  CHECK(send[0]["ph"] == "b");
  CHECK(send[1]["ph"] == "e");
  CHECK(send[0]["id"] == send[1]["id"]);
}

TEST_CASE("Times are microseconds since the origin, and nothing of them is lost") {
  std::deque<Track> tracks;
  Track& track = tracks.emplace_back(0, 0, 1);
  const auto begin = track.work_begins();
  track.worked(begin, Stage::work, nullptr, 0, 1);
  const auto at = std::chrono::nanoseconds(begin.time_since_epoch()).count();
  std::string text = timeline_begin;
  write_events(tracks, 0, same_clock(), at - 1002003, 1, [&](const std::string& more) { text += more; });
  const json chunk = with(json::parse(text + timeline_end)["traceEvents"], "name", "work")[0];
  CHECK(chunk["ts"].get<double>() == 1002.003);
}

TEST_CASE("A lane says what it has lost") {
  std::deque<Track> tracks;
  Track& track = tracks.emplace_back(0, 0, 2);
  for (int i = 0; i < 5; ++i) track.worked(track.work_begins(), Stage::work, nullptr, 0, 1);
  const json events = file_of(tracks, {}, 1);
  CHECK(with(events, "name", "thread_name")[0]["args"]["name"] ==
        "team 0, member 0 (3 oldest spans dropped)");
  CHECK(with(events, "name", "work").size() == 2);
}

TEST_CASE("A clock that is ahead and runs fast is brought into line") {
  const ClockMap clock({Clock::time_point(100s), 50s}, {Clock::time_point(200s), 51s});
  CHECK(clock(Clock::time_point(100s)) == std::chrono::nanoseconds(50s).count());
  CHECK(clock(Clock::time_point(150s)) == std::chrono::nanoseconds(99500ms).count());
  CHECK(clock(Clock::time_point(200s)) == std::chrono::nanoseconds(149s).count());
  const ClockMap one({Clock::time_point(100s), 50s}, {Clock::time_point(100s), 50s});
  CHECK(one(Clock::time_point(150s)) == std::chrono::nanoseconds(100s).count());
}
