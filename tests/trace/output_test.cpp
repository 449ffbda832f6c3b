// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Checks the table and the timeline of a run of program.cpp, and compares the two.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "trace/program.hpp"

using namespace test_support::program;
using nlohmann::json;

namespace {

std::string content(const char* variable) {
  const char* const path = std::getenv(variable);
  REQUIRE(path != nullptr);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

json events() {
  return json::parse(content("TEST_TIMELINE"))["traceEvents"];
}

/// What the table has of a function.
struct Line {
  std::vector<long> calls; // all, carried, lent, native
  std::string bytes;
  long own_chunks = 0;
  long helped_chunks = 0;
};

long count(const std::string& text) {
  return text == "-" ? 0 : std::stol(text);
}

Line line_of(const std::string& function) {
  const std::string table = content("TEST_TABLE");
  INFO(table);
  const std::string number = " +(-|[0-9]+)";
  const std::regex pattern("\n  " + function + number + number + number + number +
                           " +(-|[0-9.]+ [KMG]?i?B) +[0-9.]+ +[0-9.]+\n((    [^\n]*\n)*)");
  std::smatch match;
  REQUIRE(std::regex_search(table, match, pattern));
  Line line;
  for (std::size_t field = 1; field <= 4; ++field) line.calls.push_back(count(match[field]));
  line.bytes = match[5];
  const std::string details = match[6];
  std::smatch own;
  if (std::regex_search(details, own, std::regex("chunks: ([0-9]+) by callers")))
    line.own_chunks = count(own[1]);
  const std::regex helper("([0-9]+) by helper 1");
  for (std::sregex_iterator at(details.begin(), details.end(), helper), end; at != end; ++at)
    line.helped_chunks += std::stol((*at)[1]);
  return line;
}

/// Returns how many messages were carried. Without shared memory the first one is not: the sender does not
/// yet know that the receiver takes part.
int carried_messages() {
  const bool shares =
      content("TEST_TABLE").find("the receiver is not known to take part") == std::string::npos;
  return shares ? rounds : rounds - 1;
}

/// Returns the start and the end of a span, in nanoseconds.
std::pair<long, long> interval(const json& span) {
  const long begin = std::lround(span["ts"].get<double>() * 1000);
  return {begin, begin + std::lround(span["dur"].get<double>() * 1000)};
}

} // namespace

TEST_CASE("The table has the calls, how they were done, and their bytes") {
  const bool has_team = content("TEST_TABLE").find("MPIX_") != std::string::npos;
  const Line bcast = line_of("MPI_Bcast");
  CHECK(bcast.calls[0] == 2 * ranks * rounds);
  CHECK(bcast.calls[1] == ranks * rounds); // those on MPI_COMM_SELF are not carried
  CHECK(bcast.calls[1] + bcast.calls[2] + bcast.calls[3] == bcast.calls[0]);
  CHECK(bcast.bytes == "20.0 MiB");
  CHECK_THAT(content("TEST_TABLE"),
             Catch::Contains("\n    not carried: " + std::to_string(ranks * rounds) + ", "));
  CHECK_THAT(content("TEST_TABLE"), Catch::Matches("[^]*\n  MPI_Bcast [^\n]*\n    carried: " +
                                                   std::to_string(bcast.calls[1]) + ", [a-z_]+\n[^]*"));
  const Line allreduce = line_of("MPI_Allreduce"); // includes one for each hybrid operation
  const int reductions = ranks * (has_team ? rounds + 1 : rounds);
  CHECK(allreduce.calls[0] == reductions);
  CHECK(allreduce.calls[1] == reductions);
  CHECK(allreduce.bytes == (has_team ? "6.0 MiB" : "5.0 MiB"));
  for (const std::string function : {"MPI_Send", "MPI_Recv"}) {
    const Line line = line_of(function);
    CHECK(line.calls[0] == rounds);
    CHECK(line.calls[1] == carried_messages());
    CHECK(line.bytes == "5.0 MiB");
    CHECK(line.own_chunks + line.helped_chunks > 0);
  }
  CHECK(line_of("MPI_Barrier").calls[0] == ranks * rounds);
}

TEST_CASE("A hybrid call of all members is counted for each, with the data of one") {
  if (content("TEST_TABLE").find("MPIX_") == std::string::npos) return;
  const Line line = line_of("MPIX_Helper_allreduce");
  CHECK(line.calls[0] == 2 * ranks);
  CHECK(line.calls[1] == 2 * ranks);
  CHECK(line.bytes == "1.0 MiB");
  CHECK(line.own_chunks + line.helped_chunks > 0);
}

TEST_CASE("The timeline has the operations, with what they moved, on named lanes of all ranks") {
  std::map<std::pair<int, int>, std::string> lanes;
  std::map<std::string, int> broadcasts;
  std::set<std::string> stages;
  for (const json& event : events()) {
    const std::pair lane{event["pid"].get<int>(), event["tid"].get<int>()};
    const std::string name = event["name"];
    if (name == "thread_name") lanes[lane] = event["args"]["name"];
    if (event["ph"] == "M") continue;
    CHECK_THAT(lanes.at(lane), Catch::Matches("team [0-9]+, member [01]"));
    if (name == "MPI_Bcast") {
      CHECK(event["args"]["bytes"] == rows * sizeof(double));
      ++broadcasts[event["args"]["ranks"].dump() + " " + event["args"]["way"].get<std::string>()];
    }
    if (event["args"].contains("stage")) stages.insert(event["args"]["stage"]);
    if (event["cat"] == "messages" || event["cat"] == "waiting") stages.insert(name);
  }
  CHECK(lanes.size() == 2 * ranks);
  CHECK(broadcasts["2 carried"] == ranks * rounds);
  CHECK(stages == std::set<std::string>{"copy", "pack", "send", "receive", "reduce", "unpack", "waiting"});
}

TEST_CASE("A message is shown under way at both ends, and its pieces being packed and unpacked") {
  std::map<std::string, int> messages; // by end of the message
  std::map<std::string, int> pieces;   // by stage
  for (const json& event : events()) {
    const std::string operation = event["args"].value("operation", "");
    if (operation != "MPI_Send" && operation != "MPI_Recv") continue;
    if (event["ph"] == "b") {
      CHECK(event["args"]["bytes"] == rows * sizeof(double));
      ++messages[operation + " " + event["name"].get<std::string>()];
    }
    if (event["args"].contains("stage"))
      pieces[operation + " " + event["args"]["stage"].get<std::string>()] += event["args"]["size"].get<int>();
  }
  CHECK(messages == std::map<std::string, int>{{"MPI_Recv receive", carried_messages()},
                                               {"MPI_Send send", carried_messages()}});
  const int sent = pieces["MPI_Send pack"];
  CHECK(sent > carried_messages());
  CHECK(pieces == std::map<std::string, int>{{"MPI_Recv unpack", sent}, {"MPI_Send pack", sent}});
}

TEST_CASE("What a lane shows is nested, and messages that begin also end") {
  std::map<std::pair<int, int>, std::vector<std::pair<long, long>>> spans;
  std::map<std::string, double> under_way;
  for (const json& event : events()) {
    if (event["ph"] == "X") spans[{event["pid"], event["tid"]}].push_back(interval(event));
    if (event["ph"] == "b") REQUIRE(under_way.emplace(event["id"], event["ts"]).second);
    if (event["ph"] == "e") {
      REQUIRE(under_way.count(event["id"]) == 1);
      REQUIRE(under_way[event["id"]] <= event["ts"]);
      under_way.erase(event["id"]);
    }
  }
  CHECK(under_way.empty());
  for (auto& [lane, of_lane] : spans) {
    std::ranges::sort(of_lane, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    std::vector<long> open; // ends of the spans that contain the current one
    for (const auto& [begin, end] : of_lane) {
      while (!open.empty() && open.back() <= begin) open.pop_back();
      if (!open.empty()) REQUIRE(end <= open.back());
      open.push_back(end);
    }
  }
}

TEST_CASE("Reductions of all ranks overlap in time: their clocks agree") {
  std::map<int, std::vector<std::pair<long, long>>> reductions; // by rank
  for (const json& event : events()) {
    if (event["name"] == "MPI_Allreduce") reductions[event["pid"]].push_back(interval(event));
  }
  REQUIRE(reductions.size() == ranks);
  for (int round = 0; round < rounds; ++round) {
    const auto at = static_cast<std::size_t>(round);
    CHECK(reductions[0].at(at).first < reductions[1].at(at).second);
    CHECK(reductions[1].at(at).first < reductions[0].at(at).second);
  }
}

TEST_CASE("Table and timeline count the same chunks") {
  for (const std::string function : {"MPI_Bcast", "MPI_Allreduce"}) {
    CAPTURE(function);
    std::map<std::string, long> chunks; // by category of spans
    for (const json& event : events()) {
      if (event["ph"] == "X" && event["args"].value("operation", "") == function)
        ++chunks[event["cat"].get<std::string>()];
    }
    const Line line = line_of(function);
    CHECK(line.own_chunks == chunks["work"]);
    CHECK(line.helped_chunks == chunks["helping"]);
    CHECK(line.own_chunks + line.helped_chunks > 0);
  }
}
