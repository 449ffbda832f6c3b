// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "common/text.hpp"
#include "measure.hpp"
#include "pipelines.hpp"
#include "slow_core.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mpi.h>

namespace {

using namespace bench;

/// What is measured, by its name on the command line.
const std::map<std::string, std::vector<PlannedTask> (*)(std::size_t bytes)> others{
    {"graph", [](std::size_t bytes) { return std::vector{allreduce_of_ints(bytes)}; }},
    {"messages", messages},
    {"groups", group_operations}};

struct Settings {
  Setting setting;
  std::string what = "helpers";
  std::vector<std::string> functions; ///< empty: all
  std::vector<std::size_t> sizes{std::size_t{1} << 20, std::size_t{16} << 20};
  std::vector<std::size_t> sizes_of_sums;
  double budget = 60; ///< seconds for all
  std::string json;
};

constexpr auto description =
    R"(What a team of 1, 2, 4 ... threads does for packing, reductions, broadcasts, and sums over threads and ranks.

Times are per call, of the slowest rank; medians of samples of all ways in turn. A ratio is how many times as fast as a
team of 1 a team is; of sums over all threads, as the fastest way to write them by hand with as many threads.
Every result is checked before it is timed. To be run under mpiexec.)";

void add_options(CLI::App& app, Settings& settings) {
  const auto silent = [](CLI::Validator validator) { return validator.description(""); };
  const auto add_sizes = [&](const char* flag, auto& value, std::size_t least, const char* help) {
    app.add_option(flag, value, help)
        ->delimiter(',')
        ->type_name("LIST")
        ->transform(silent(CLI::AsSizeValue(false)))
        ->check(silent(CLI::Range(least, std::size_t{1} << 30)));
  };
  app.add_option("--teams", settings.setting.teams, "Sizes of teams, the first of them 1; default: 1,2")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(silent(CLI::Range(1, 1024)));
  app.add_option(
         "--what", settings.what,
         "helpers; or graph, MPI_Allreduce of ints; messages between two ranks; groups, operations on "
         "groups of all ranks; default: helpers")
      ->type_name("NAME")
      ->check(silent(CLI::IsMember({"helpers", "graph", "messages", "groups"})));
  app.add_option("--placements", settings.setting.placements,
                 "How the library pins a team: none, compact, scatter, numa; default: none")
      ->delimiter(',')
      ->type_name("LIST");
  app.add_option("--functions", settings.functions,
                 "Which of MPI_Pack, MPI_Unpack, MPI_Reduce_local, MPI_Allreduce and MPI_Bcast, and sums; "
                 "default: all")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(silent(CLI::IsMember(
          {"MPI_Pack", "MPI_Unpack", "MPI_Reduce_local", "MPI_Allreduce", "MPI_Bcast", "sums"})));
  add_sizes("--sizes", settings.sizes, std::size_t{1} << 10,
            "Bytes that are packed, reduced, broadcast; default: 1MiB,16MiB");
  add_sizes("--sums", settings.sizes_of_sums, sizeof(double),
            "Bytes of the sums over all threads, and of MPI_Allreduce; default: 1KiB to 64MiB, every second "
            "power of two");
  app.add_flag("--alone", settings.setting.alone,
               "Rank 0 works alone, and the others have nothing to do but to wait for it");
  app.add_option("--slower", settings.setting.slower,
                 "Emulate a core for each thread that is so many times slower than this machine's; default: "
                 "1, no emulation")
      ->type_name("TIMES")
      ->check(silent(CLI::Range(1, 1000)));
  app.callback([&slower = settings.setting.slower] {
    if (slower > 1 && !SlowCore::works())
      throw CLI::Error("--slower", "this build cannot emulate cores", 77); // with which a test is skipped
  });
  app.add_option("--budget", settings.budget, "Time for all measurements together; default: 60")
      ->type_name("SECONDS")
      ->check(silent(CLI::PositiveNumber));
  app.add_option("--json", settings.json, "Write the figures to this file")->type_name("FILE");
}

const Times* find(const Point& point, const std::string& name, int threads) {
  const auto found = std::ranges::find_if(point.times, [&](const Times& times) {
    return times.way.name == name && times.way.threads == threads;
  });
  return found == point.times.end() ? nullptr : &*found;
}

/// How many times as fast as what it is compared with; 0 if that was not measured.
double ratio(const Point& point, const Times& times) {
  if (times.way.name == "team") {
    const Times* const alone = find(point, "team", 1);
    return alone == nullptr ? 0 : alone->seconds.median / times.seconds.median;
  }
  double fastest = 0;
  for (const auto& [way, seconds] : point.times)
    if (way.threads == times.way.threads && way.name != times.way.name)
      fastest = fastest == 0 ? seconds.median : std::min(fastest, seconds.median);
  return fastest / times.seconds.median;
}

void print(const Point& point) {
  fmt::print("{:18} {:24} {:>10}", point.function, point.data, size_name(point.asked_for));
  for (const Times& times : point.times) {
    fmt::print("  {} {}: {} us", times.way.name, times.way.threads, digits(times.seconds.median * 1e6));
    if (const bool compares = times.way.name != "native" && !times.way.name.starts_with("team") &&
                              times.way.name != "MPIX_Helper_allreduce";
        compares || times.way.name == "native")
      continue;
    fmt::print(", {:.2f}", ratio(point, times));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Point& point) {
  nlohmann::ordered_json json{{"function", point.function},
                              {"data", point.data},
                              {"asked_bytes", point.asked_for},
                              {"bytes", point.bytes},
                              {"ways", {}}};
  for (const auto& [way, seconds] : point.times)
    json["ways"].push_back(
        {{"name", way.name},
         {"threads", way.threads},
         {"seconds", {{"p10", seconds.p10}, {"median", seconds.median}, {"p90", seconds.p90}}}});
  return json;
}

std::vector<std::size_t> default_sizes_of_sums() {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 1 << 10; bytes <= std::size_t{64} << 20; bytes *= 4) sizes.push_back(bytes);
  return sizes;
}

void run(Settings settings, bool reporting) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Setting& setting = settings.setting;
  if (setting.teams.empty()) setting.teams = {1, 2};
  if (settings.sizes_of_sums.empty()) settings.sizes_of_sums = default_sizes_of_sums();
  const bool collective = ranks > 1 && !setting.alone;

  std::vector<PlannedTask> planned;
  const bool of_helpers = settings.what == "helpers";
  setting.chunks_only = !of_helpers; // by some of these waits are polls
  for (const std::size_t bytes : settings.sizes)
    for (PlannedTask& task : of_helpers ? tasks(bytes, collective) : others.at(settings.what)(bytes))
      planned.push_back(std::move(task));
  std::ranges::stable_sort(planned, {},
                           [](const PlannedTask& task) { return std::pair(task.function, task.data); });
  if (!of_helpers) settings.sizes_of_sums.clear();
  for (const std::size_t bytes : settings.sizes_of_sums)
    if (collective && !std::ranges::count(settings.sizes, bytes))
      planned.push_back(allreduce_of_doubles(bytes));
  const auto wanted = [&](const std::string& function) {
    return settings.functions.empty() || std::ranges::count(settings.functions, function) != 0;
  };
  std::erase_if(planned, [&](const PlannedTask& task) { return !wanted(task.function); });
  // All ranks have something to add, and by hand they wait in MPI, which spins.
  if (setting.alone || setting.slower > 1 || !wanted("sums")) settings.sizes_of_sums.clear();
  const double budget =
      settings.budget / static_cast<double>(planned.size() + 3 * settings.sizes_of_sums.size());

  nlohmann::ordered_json json{{"ranks", ranks},           {"teams", setting.teams},
                              {"slower", setting.slower}, {"placements", setting.placements},
                              {"alone", setting.alone},   {"points", {}}};
  const auto add = [&](const Point& point) {
    if (!reporting) return;
    print(point);
    json["points"].push_back(to_json(point));
  };
  for (const PlannedTask& task : planned) add(measure(task, setting, budget));
  for (const std::size_t bytes : settings.sizes_of_sums) add(measure_summation(bytes, setting, 3 * budget));
  if (reporting && !settings.json.empty()) write_json(json, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  setenv("MPI_HELPER_USER_OPERATIONS", "team", 1); // those that are made past the library it does not concern
  CLI::App app{description, "helpers"};
  Settings settings;
  add_options(app, settings);
  return run_ranks(app, argc, argv, [&](int rank) { run(settings, rank == 0); });
}
