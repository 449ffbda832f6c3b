// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "common/preload.hpp"

namespace {

using namespace bench;

constexpr auto description =
    R"(The first calls of a program compared with its hundredth, in us, natively and with the library preloaded, alternately.
Each time a new program is started. Run it without mpiexec.)";

struct Settings {
  int ranks = 2;
  int runs = 5;
  std::vector<int> teams{1};
  std::vector<std::size_t> sizes{8, 64 * KiB, MiB, 16 * MiB, 64 * MiB};
  bool is_touched = false; ///< receive buffers, before the first call
};

/// Microseconds of calls in a run. Several calls count as their mean.
struct Times {
  double first, next_four, first_five, hundredth;
};

/// The ways are a native run, and one with each team.
void measure(const Settings& settings, const std::string& operation, std::size_t bytes, Lines& lines) {
  const auto arguments = fmt::format("{} {} 100 {}", operation, bytes, settings.is_touched ? "touched" : "");
  const auto team_of = [&](std::size_t way) { return way == 0 ? 0 : settings.teams[way - 1]; };
  const auto run = [&](std::size_t way) -> Times {
    const Samples calls =
        times_of_calls(settings.ranks, way == 0 ? "" : std::to_string(team_of(way)), arguments);
    const double four = std::accumulate(calls.begin() + 1, calls.begin() + 5, 0.0);
    return {calls.front(), four / 4, (calls.front() + four) / 5, calls.at(99)};
  };
  const auto times = take(settings.teams.size() + 1, settings.runs, run, true);
  for (std::size_t way = 0; way < times.size(); ++way) {
    const double five = median(times[way], &Times::first_five);
    const double hundredth = median(times[way], &Times::hundredth);
    lines.add({{"operation", operation},
               {"bytes", bytes},
               {"team", team_of(way)},
               {"first", median(times[way], &Times::first)},
               {"next_four", median(times[way], &Times::next_four)},
               {"hundredth", hundredth},
               {"over_hundredth", five / hundredth},
               {"ratio", way == 0 ? Json() : Json(median(times[0], &Times::first_five) / five)}});
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("first_calls", description);
  program.add_number("--ranks", settings.ranks, "Processes of each program");
  program.add_number("--runs", settings.runs, "Programs of each way");
  program.add_teams(settings.teams);
  program.add_bytes("--sizes", settings.sizes, "Bytes of a message");
  program.add_flag("--touched", settings.is_touched, "Write to receive buffers before the first call");
  return program.run(argc, argv, [&](Lines& lines) {
    for (const char* operation : {"allreduce", "bcast"})
      for (const std::size_t bytes : settings.sizes) measure(settings, operation, bytes, lines);
  });
}
