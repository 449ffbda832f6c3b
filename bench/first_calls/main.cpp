// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/preload.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr auto description =
    R"(The first calls of a program compared with its hundredth, in us, natively and with the library preloaded, alternately.
Each time a new program is started. Run it without mpiexec.)";

struct Settings {
  int ranks = 2;
  int runs = 5;
  std::vector<int> teams{1};
  std::vector<std::string> operations{"allreduce", "bcast"};
  std::vector<std::size_t> sizes{8, std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{16} << 20,
                                 std::size_t{64} << 20};
  bool is_touched = false; ///< receive buffers, before the first call
};

/// Times of calls in each run, in microseconds: natively (team 0) or with a team. Several calls count as
/// their mean.
struct Samples {
  int team;
  std::vector<double> first{}, next_four{}, first_five{}, hundredth{};

  void take(const std::vector<double>& calls) {
    const double four = std::accumulate(calls.begin() + 1, calls.begin() + 5, 0.0);
    first.push_back(calls.front());
    next_four.push_back(four / 4);
    first_five.push_back((calls.front() + four) / 5);
    hundredth.push_back(calls.at(99));
  }
};

/// The ways alternate. Their order reverses every other time, so that a disturbance affects all of them.
std::vector<Samples> measure(const Settings& settings, const std::string& operation, std::size_t bytes) {
  const auto arguments = fmt::format("{} {} 100 {}", operation, bytes, settings.is_touched ? "touched" : "");
  std::vector<Samples> all{{0}};
  for (const int team : settings.teams) all.push_back({team});
  for (int run = 0; run < settings.runs; ++run) {
    for (Samples& each : all)
      each.take(times_of_calls(settings.ranks, each.team == 0 ? "" : std::to_string(each.team), arguments));
    std::ranges::reverse(all);
  }
  std::ranges::sort(all, {}, &Samples::team);
  return all;
}

void measure_all(const Settings& settings, Lines& lines) {
  for (const std::string& operation : settings.operations)
    for (const std::size_t bytes : settings.sizes)
      for (const Samples& each : measure(settings, operation, bytes))
        lines.add({{"operation", operation},
                   {"bytes", bytes},
                   {"team", each.team},
                   {"first", quantiles(each.first).median},
                   {"next_four", quantiles(each.next_four).median},
                   {"first_five", quantiles(each.first_five).median},
                   {"hundredth", quantiles(each.hundredth).median}});
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("first_calls", description);
  program.add_number("--ranks", settings.ranks, "Processes of each program");
  program.add_number("--runs", settings.runs, "Programs of each way");
  program.add_teams(settings.teams);
  program.add_choice("--operations", settings.operations, "Operations",
                     std::vector<std::string>{"allreduce", "bcast"});
  program.add_bytes("--sizes", settings.sizes, "Bytes of a message");
  program.add_flag("--touched", settings.is_touched, "Write to receive buffers before the first call");
  return program.run(argc, argv, [&](Lines& lines) { measure_all(settings, lines); });
}
