// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using bench::Json;
using bench::quantiles;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

struct Settings {
  std::filesystem::path folder;
  std::string list = PROGRAM_LIST, json;
  Words only;
  double budget = 540; ///< seconds for all
  int rounds = 3;      ///< at least, even if the time budget is for fewer
};

/// One line of the list.
struct Program {
  std::string name, folder, from;
  Words command;
  int ranks;
  bool openmp;
};

/// One way to run a program, and the seconds of each run.
struct Way {
  int threads;
  std::string helpers; ///< value of MPI_HELPER_THREADS; empty: without the library
  std::vector<double> total{}, in_mpi{};
};

/// The seconds that a team of one saves, as `mpi_helper advise` estimates.
struct Advice {
  double seconds, low, high;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Program, name, folder, from, command, ranks, openmp)

/// A program without OpenMP has only one native way.
std::vector<Way> ways_of(const Program& program) {
  if (program.openmp) return {{1, ""}, {1, "1"}, {2, ""}, {2, "openmp"}};
  return {{1, ""}, {1, "1"}, {2, "2"}};
}

/// Runs a program in its folder with additional environment variables. Its output goes to the file `log`
/// there.
void execute(const Program& program, const Words& variables, const std::filesystem::path& folder) {
  const auto command =
      fmt::format("cd '{}' && '{}' -n {} env {} {} >log 2>&1 </dev/null", folder.string(), MPI_LAUNCHER,
                  program.ranks, fmt::join(variables, " "), fmt::join(program.command, " "));
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error(fmt::format("{} has failed; see {}/log", command, folder.string()));
}

void run(const Program& program, Way& way, const std::filesystem::path& folder) {
  const auto time_in_mpi = folder / "time_in_mpi";
  std::filesystem::remove(time_in_mpi);
  Words variables{"TIME_IN_MPI=" + time_in_mpi.string(), "LD_PRELOAD=" TIMING_LIBRARY};
  if (!way.helpers.empty()) {
    variables.back() += ":" HELPER_LIBRARY;
    variables.push_back("MPI_HELPER_THREADS=" + way.helpers);
  }
  if (program.openmp) variables.push_back(fmt::format("OMP_NUM_THREADS={}", way.threads));
  const auto begun = Clock::now();
  execute(program, variables, folder);
  way.total.push_back(std::chrono::duration<double>(Clock::now() - begun).count());
  double seconds = 0;
  if (!(std::ifstream(time_in_mpi) >> seconds))
    throw std::runtime_error(program.name + " has not called MPI_Finalize");
  way.in_mpi.push_back(seconds);
}

/// The ways alternate. Their order reverses every other time, so that a disturbance affects all of them.
std::vector<Way> measure(const Program& program, const Settings& settings, double budget) {
  const auto folder = std::filesystem::absolute(settings.folder / program.folder);
  std::vector<Way> ways = ways_of(program);
  const auto end = Clock::now() + std::chrono::duration<double>(budget);
  for (int round = 0; round < settings.rounds || Clock::now() < end; ++round) {
    for (Way& way : ways) run(program, way, folder);
    std::ranges::reverse(ways);
  }
  std::ranges::sort(ways, {}, [](const Way& way) { return std::pair(way.threads, way.helpers); });
  return ways;
}

/// Runs the program natively with one thread and asks for advice. Returns nothing if the library did not
/// replay its calls.
std::optional<Advice> ask(const Program& program, const std::filesystem::path& folder) {
  Words variables{"LD_PRELOAD=" HELPER_LIBRARY, "MPI_HELPER_ADVICE=1"};
  if (program.openmp) variables.push_back("OMP_NUM_THREADS=1");
  execute(program, variables, folder);
  std::ifstream log(folder / "log");
  for (std::string line; std::getline(log, line);) {
    Advice advice{};
    if (std::sscanf(line.c_str(), "1 (no helper) %lf %lf to %lf", &advice.seconds, &advice.low,
                    &advice.high) == 3)
      return advice;
  }
  return std::nullopt;
}

/// Prints the advice and the measurement: how much less time a rank spends in MPI with a team of one. The
/// time of the whole command varies more between runs.
Json compare(const Program& program, const Advice& advice, const std::vector<Way>& ways) {
  const auto median_of = [&](const std::string& helpers) {
    return quantiles(std::ranges::find(ways, helpers, &Way::helpers)->in_mpi).median;
  };
  const double measured = median_of("") - median_of("1");
  const bool is_within = measured >= advice.low && measured <= advice.high;
  fmt::print("{:28} advice: saves {:.3f} ({:.3f} to {:.3f}); measured: {:.3f}, {}\n", program.name,
             advice.seconds, advice.low, advice.high, measured, is_within ? "within" : "not within");
  return {{"saves", advice.seconds}, {"low", advice.low}, {"high", advice.high}, {"measured", measured}};
}

Json json_of(const Program& program, const std::vector<Way>& ways) {
  Json json{{"name", program.name},
            {"from", program.from},
            {"command", fmt::format("{}", fmt::join(program.command, " "))},
            {"ranks", program.ranks},
            {"openmp", program.openmp}};
  for (const Way& way : ways)
    json["ways"].push_back({{"threads", way.threads},
                            {"helpers", way.helpers},
                            {"runs", way.total.size()},
                            {"seconds", quantiles(way.total)},
                            {"seconds_in_mpi", quantiles(way.in_mpi)}});
  return json;
}

void print(const Program& program, const std::vector<Way>& ways) {
  for (const Way& way : ways) {
    const auto total = quantiles(way.total);
    fmt::print("{:28} {} x {}  {:10}  {:8.3f} ({:.3f} to {:.3f})  {:8.3f}  {:4}\n", program.name,
               program.ranks, way.threads, way.helpers.empty() ? "native" : "library", total.median,
               total.p10, total.p90, quantiles(way.in_mpi).median, way.total.size());
  }
  std::fflush(stdout);
}

/// Returns the programs of the list that are asked for and installed.
std::vector<Program> programs_of(const Settings& settings) {
  std::ifstream file(settings.list);
  if (!file) throw std::runtime_error("cannot read " + settings.list);
  std::vector<Program> programs;
  for (const Program& program : nlohmann::json::parse(file).get<std::vector<Program>>()) {
    if (!settings.only.empty() && std::ranges::count(settings.only, program.folder) == 0) continue;
    if (std::filesystem::is_directory(settings.folder / program.folder))
      programs.push_back(program);
    else
      fmt::print(stderr, "{} is not there, the folder {} for what is in {}\n", program.name, program.folder,
                 program.from);
  }
  return programs;
}

void run_all(const Settings& settings) {
  const auto programs = programs_of(settings);
  fmt::print("Seconds: of the command, median and p10 to p90, and of a rank in MPI; runs\n");
  Json json = Json::array();
  bool has_failed = false;
  for (const Program& program : programs) {
    try {
      const auto ways = measure(program, settings, settings.budget / static_cast<double>(programs.size()));
      print(program, ways);
      json.push_back(json_of(program, ways));
      if (const auto advice = ask(program, std::filesystem::absolute(settings.folder / program.folder)))
        json.back()["advice"] = compare(program, *advice, ways);
    } catch (const std::runtime_error& failed) { // the other programs are measured anyway
      fmt::print(stderr, "{}\n", failed.what());
      has_failed = true;
    }
  }
  if (!settings.json.empty()) bench::write_json(json, settings.json);
  if (has_failed) throw std::runtime_error("not all programs could be measured");
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  bench::Program program("programs",
                         "Runs public programs natively and with the library preloaded, alternately: total "
                         "time, launch included, and\n"
                         "time in MPI. Run it without mpiexec, on an idle machine with at least two cores.",
                         settings.json);
  program
      .add_option("FOLDER", settings.folder, "Programs built with this MPI, each in its folder of the list")
      ->required()
      ->check(CLI::ExistingDirectory.description(""));
  program.add("--list", settings.list, "The list of programs", "FILE");
  program.add("--only", settings.only, "Run only the programs in these folders", "FOLDER");
  program.add_budget(settings.budget);
  program.add("--rounds", settings.rounds, "Least runs of each program", "N");
  return program.run(argc, argv, [&] { run_all(settings); });
}
