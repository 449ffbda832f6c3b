// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/command.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"
#include "common/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr auto description =
    R"(What the first calls of a program take, beside its hundredth, natively and with the library preloaded, in turn. Each
time a new program is started. To be run by itself, without mpiexec.)";

struct Settings {
  int ranks = 2;
  int runs = 5;
  std::vector<int> teams{1};
  std::vector<std::string> operations{"allreduce", "bcast"};
  std::vector<std::size_t> sizes{8, std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{16} << 20,
                                 std::size_t{64} << 20};
  bool is_touched = false; ///< what is only received, before the first call
  std::string json;
};

/// What calls have taken natively, team 0, or with a team, in microseconds, of each run; of several calls
/// their mean.
struct Samples {
  int team;
  std::vector<double> first{}, next_four{}, first_five{}, hundredth{};

  std::string name() const { return team == 0 ? "native" : fmt::format("team {}", team); }

  void take(const std::vector<double>& calls) {
    const double four = std::accumulate(calls.begin() + 1, calls.begin() + 5, 0.0);
    first.push_back(calls.front());
    next_four.push_back(four / 4);
    first_five.push_back((calls.front() + four) / 5);
    hundredth.push_back(calls.at(99));
  }
};

std::string command_of(const Settings& settings, int team, const std::string& operation, std::size_t bytes) {
  const auto library = fmt::format("env LD_PRELOAD='{}' MPI_HELPER_THREADS={}", HELPER_LIBRARY, team);
  return fmt::format("'{}' -n {} {} '{}' {} {} {}", MPI_LAUNCHER, settings.ranks, team == 0 ? "" : library,
                     FIRST_CALLS_PROGRAM, operation, bytes, settings.is_touched ? "touched" : "");
}

/// The ways take turns, backwards every other time, so that a disturbance hits all alike.
std::vector<Samples> measure(const Settings& settings, const std::string& operation, std::size_t bytes) {
  std::vector<Samples> all{{0}};
  for (const int team : settings.teams) all.push_back({team});
  for (int run = 0; run < settings.runs; ++run) {
    for (Samples& each : all) each.take(numbers_of(command_of(settings, each.team, operation, bytes)));
    std::ranges::reverse(all);
  }
  std::ranges::sort(all, {}, &Samples::team);
  return all;
}

void report(nlohmann::ordered_json& json, const std::string& operation, std::size_t bytes,
            const std::vector<Samples>& all) {
  const double native = quantiles(all.front().first_five).median;
  for (const Samples& each : all) {
    const double first = quantiles(each.first).median, next_four = quantiles(each.next_four).median;
    const double first_five = quantiles(each.first_five).median;
    const double hundredth = quantiles(each.hundredth).median;
    fmt::print("{:10} {:>8} {:8} {:>10} {:>10} {:>10} {:>14} {:>8}\n", operation, size_name(bytes),
               each.name(), digits(first), digits(next_four), digits(hundredth),
               digits(first_five / hundredth), each.team == 0 ? "" : digits(native / first_five));
    json.push_back({{"operation", operation},
                    {"bytes", bytes},
                    {"team", each.team},
                    {"first", first},
                    {"next_four", next_four},
                    {"first_five", first_five},
                    {"hundredth", hundredth}});
  }
  std::fflush(stdout);
}

void measure_all(const Settings& settings) {
  nlohmann::ordered_json json;
  fmt::print("{} ranks, medians of {} programs in us\n{:28} {:>10} {:>10} {:>10} {:>14} {:>8}\n",
             settings.ranks, settings.runs, "", "call 1", "2 to 5", "100", "1 to 5 : 100", "speedup");
  for (const std::string& operation : settings.operations)
    for (const std::size_t bytes : settings.sizes)
      report(json, operation, bytes, measure(settings, operation, bytes));
  if (!settings.json.empty()) write_json(json, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{description, "first_calls"};
  Settings settings;
  app.add_option("--ranks", settings.ranks, "Processes of each program")->check(CLI::PositiveNumber);
  app.add_option("--runs", settings.runs, "Programs of each way")->check(CLI::PositiveNumber);
  app.add_option("--teams", settings.teams, "Sizes of teams")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--operations", settings.operations, "Which of allreduce and bcast")
      ->delimiter(',')
      ->check(CLI::IsMember({"allreduce", "bcast"}));
  app.add_option("--sizes", settings.sizes, "Bytes of a message")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false));
  app.add_flag("--touched", settings.is_touched,
               "Programs write to what they receive before the first call, too");
  app.add_option("--json", settings.json, "Write the medians to this file")->type_name("FILE");
  return run_program(app, argc, argv, [&] { measure_all(settings); });
}
