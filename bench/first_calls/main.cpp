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
  std::vector<std::string> operations{"allreduce", "bcast"};
  std::vector<std::size_t> sizes{8, 64 * KiB, MiB, 16 * MiB, 64 * MiB};
  bool is_touched = false; ///< receive buffers, before the first call
};

/// Times of calls in each run, in microseconds: natively (team 0) or with a team. Several calls count as
/// their mean.
struct Times {
  int team;
  Samples first{}, next_four{}, first_five{}, hundredth{};

  void take(const Samples& calls) {
    const double four = std::accumulate(calls.begin() + 1, calls.begin() + 5, 0.0);
    first.push_back(calls.front());
    next_four.push_back(four / 4);
    first_five.push_back((calls.front() + four) / 5);
    hundredth.push_back(calls.at(99));
  }
};

/// The ways alternate. Their order reverses every other time, so that a disturbance affects all of them.
std::vector<Times> measure(const Settings& settings, const std::string& operation, std::size_t bytes) {
  const auto arguments = fmt::format("{} {} 100 {}", operation, bytes, settings.is_touched ? "touched" : "");
  std::vector<Times> all{{0}};
  for (const int team : settings.teams) all.push_back({team});
  for (int run = 0; run < settings.runs; ++run) {
    for (Times& each : all)
      each.take(times_of_calls(settings.ranks, each.team == 0 ? "" : std::to_string(each.team), arguments));
    std::ranges::reverse(all);
  }
  std::ranges::sort(all, {}, &Times::team);
  return all;
}

void measure_all(const Settings& settings, Lines& lines) {
  for (const std::string& operation : settings.operations) {
    for (const std::size_t bytes : settings.sizes) {
      const std::vector<Times> all = measure(settings, operation, bytes);
      for (const Times& each : all) {
        const double five = median(each.first_five);
        lines.add({{"operation", operation},
                   {"bytes", bytes},
                   {"team", each.team},
                   {"first", median(each.first)},
                   {"next_four", median(each.next_four)},
                   {"hundredth", median(each.hundredth)},
                   {"over_hundredth", five / median(each.hundredth)},
                   {"ratio", each.team == 0 ? Json() : Json(median(all.front().first_five) / five)}});
      }
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("first_calls", description);
  program.add_number("--ranks", settings.ranks, "Processes of each program");
  program.add_number("--runs", settings.runs, "Programs of each way");
  program.add_teams(settings.teams);
  program.add_choice("--operations", settings.operations, "Operations", std::vector(settings.operations));
  program.add_bytes("--sizes", settings.sizes, "Bytes of a message");
  program.add_flag("--touched", settings.is_touched, "Write to receive buffers before the first call");
  return program.run(argc, argv, [&](Lines& lines) { measure_all(settings, lines); });
}
