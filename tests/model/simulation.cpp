// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <string>
#include <vector>

#include "model/simulation.hpp"
#include "support/catch.hpp"

using model::Costs;
using model::Simulation;

namespace {

struct Seen {
  int process;
  std::string what;
  double until; ///< when the process has received the event
};

/// Runs the scheduled events, and the events that `react(process, event)` adds.
template <class React>
std::vector<Seen> run(Simulation<std::string>& simulation, const React& react) {
  std::vector<Seen> seen;
  simulation.run([&](int process, const std::string& event) {
    seen.push_back({process, event, simulation.now(process)});
    react(process, event);
  });
  return seen;
}

std::vector<Seen> run(Simulation<std::string>& simulation) {
  return run(simulation, [](int, const std::string&) {});
}

} // namespace

TEST_CASE("A message takes both overheads, the latency, and the link's time for its bytes") {
  Simulation<std::string> simulation(
      {.latency = 10, .send_overhead = 2, .receive_overhead = 3, .gap_per_byte = 0.5}, 2);
  simulation.send(0, 1, 8, "m");
  CHECK(simulation.now(0) == 2);
  const auto seen = run(simulation);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].process == 1);
  CHECK(seen[0].until == 2 + 10 + 8 * 0.5 + 3);
}

TEST_CASE("Processors pay for bytes where they are told to") {
  Simulation<std::string> simulation({.overhead_per_byte = 0.25}, 2);
  simulation.send(0, 1, 8, "m");
  CHECK(simulation.now(0) == 2);
  CHECK(run(simulation).front().until == 4);
}

TEST_CASE("A process sends one message at a time") {
  Simulation<std::string> simulation({.send_overhead = 1, .gap = 5}, 3);
  simulation.send(0, 1, 0, "first");
  simulation.send(0, 2, 0, "second");
  CHECK(simulation.now(0) == 2); // the processor of the sender does not wait for the link
  const auto seen = run(simulation);
  CHECK(seen[0].until == 1);
  CHECK(seen[1].until == 1 + 5);
}

TEST_CASE("Messages queue at their receiver, in the order in which they get there") {
  Simulation<std::string> simulation({.receive_overhead = 10}, 4);
  simulation.work(2, 1);
  for (const int from : {2, 1, 3}) simulation.send(from, 0, 0, std::to_string(from));
  const auto seen = run(simulation);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].what == "1");
  CHECK(seen[0].until == 10);
  CHECK(seen[1].what == "3");
  CHECK(seen[1].until == 20);
  CHECK(seen[2].what == "2");
  CHECK(seen[2].until == 30);
}

TEST_CASE("The links of one process carry one message at a time") {
  Simulation<std::string> simulation({.gap_per_byte = 1}, 3);
  simulation.send(1, 0, 10, "ten");
  simulation.send(2, 0, 10, "ten");
  const auto seen = run(simulation);
  CHECK(seen[0].until == 10);
  CHECK(seen[1].until == 20);
}

TEST_CASE("A message to oneself does not use the network") {
  Simulation<std::string> simulation(
      {.latency = 100, .send_overhead = 1, .receive_overhead = 2, .gap_per_byte = 9}, 1);
  simulation.send(0, 0, 50, "m");
  CHECK(run(simulation).front().until == 3);
}

TEST_CASE("Work and alarms: a process that is busy sees events later") {
  Simulation<std::string> simulation({}, 1);
  simulation.alarm(0, 5, "five");
  simulation.alarm(0, 7, "seven");
  const auto seen = run(simulation, [&](int process, const std::string& event) {
    if (event == "five") simulation.work(process, 10);
  });
  CHECK(seen[0].until == 5);
  CHECK(seen[1].until == 15);
}

TEST_CASE("Reactions go on until nothing is left to happen") {
  Simulation<std::string> simulation({.latency = 1}, 2);
  simulation.send(0, 1, 0, "");
  const auto seen = run(simulation, [&](int process, const std::string& event) {
    if (event.size() < 9) simulation.send(process, 1 - process, 0, event + "x");
  });
  CHECK(seen.size() == 10);
  CHECK(seen.back().until == 10);
}
