// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace {

using namespace bench;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

struct Settings {
  std::filesystem::path folder;
  std::string list = PROGRAM_LIST, json;
  Words only;
  double budget = 540; ///< seconds for all
  int rounds = 3;      ///< at least so many, where the budget is for fewer
};

/// One line of the list.
struct Program {
  std::string name, folder, from;
  Words command;
  int ranks;
  bool has_openmp;
};

/// One way to run a program, and what it took each time, in seconds.
struct Way {
  int threads;
  std::string helpers; ///< MPI_HELPER_THREADS; empty: without the library
  std::vector<double> total{}, in_mpi{};
};

/// What `mpi_helper advise` says that a team of one saves, in seconds.
struct Advice {
  double seconds, low, high;
};

void from_json(const nlohmann::json& line, Program& program) {
  line.at("name").get_to(program.name);
  line.at("folder").get_to(program.folder);
  line.at("from").get_to(program.from);
  line.at("command").get_to(program.command);
  line.at("ranks").get_to(program.ranks);
  line.at("openmp").get_to(program.has_openmp);
}

/// A program without OpenMP runs natively in one way only.
std::vector<Way> ways_of(const Program& program) {
  if (program.has_openmp) return {{1, ""}, {1, "1"}, {2, ""}, {2, "openmp"}};
  return {{1, ""}, {1, "1"}, {2, "2"}};
}

Words command_of(const Program& program, const Way& way, const std::filesystem::path& time_in_mpi) {
  Words words{MPI_LAUNCHER, "-n", std::to_string(program.ranks), "env"};
  const auto set = [&](const std::string& variable, const std::string& value) {
    words.push_back(variable + "=" + value);
  };
  set("LD_PRELOAD", way.helpers.empty() ? TIMING_LIBRARY : TIMING_LIBRARY ":" HELPER_LIBRARY);
  set("TIME_IN_MPI", time_in_mpi);
  if (program.has_openmp) set("OMP_NUM_THREADS", std::to_string(way.threads));
  if (!way.helpers.empty()) set("MPI_HELPER_THREADS", way.helpers);
  words.insert(words.end(), program.command.begin(), program.command.end());
  return words;
}

/// Runs a command in a folder. What it shows is then in a file there.
void execute(Words words, const std::filesystem::path& folder) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string log = folder / "log";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + words.front());
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error(fmt::format("{} has failed; see {}", fmt::join(words, " "), log));
}

void run(const Program& program, Way& way, const std::filesystem::path& folder) {
  const auto time_in_mpi = folder / "time_in_mpi";
  std::filesystem::remove(time_in_mpi);
  const auto begun = Clock::now();
  execute(command_of(program, way, time_in_mpi), folder);
  way.total.push_back(std::chrono::duration<double>(Clock::now() - begun).count());
  double seconds = 0;
  if (!(std::ifstream(time_in_mpi) >> seconds))
    throw std::runtime_error(program.name + " has not ended by MPI_Finalize");
  way.in_mpi.push_back(seconds);
}

/// The ways take turns, backwards every other time, so that a disturbance hits all alike.
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

/// Asks for advice on the program, natively with one thread. Empty if the library did not repeat its calls.
std::optional<Advice> ask(const Program& program, const std::filesystem::path& folder) {
  Words words{MPI_LAUNCHER,         "-n", std::to_string(program.ranks), "env", "LD_PRELOAD=" HELPER_LIBRARY,
              "MPI_HELPER_ADVICE=1"};
  if (program.has_openmp) words.push_back("OMP_NUM_THREADS=1");
  words.insert(words.end(), program.command.begin(), program.command.end());
  execute(words, folder);
  std::ifstream log(folder / "log");
  for (std::string line; std::getline(log, line);) {
    Advice advice{};
    if (std::sscanf(line.c_str(), "1 (no helper) %lf %lf to %lf", &advice.seconds, &advice.low,
                    &advice.high) == 3)
      return advice;
  }
  return std::nullopt;
}

/// Prints the advice beside what was measured: how much less time a rank spends in MPI with a team of one.
/// The time of the whole command differs more from run to run.
nlohmann::ordered_json compare(const Program& program, const Advice& advice, const std::vector<Way>& ways) {
  const auto median_of = [&](const std::string& helpers) {
    return quantiles(std::ranges::find(ways, helpers, &Way::helpers)->in_mpi).median;
  };
  const double measured = median_of("") - median_of("1");
  const bool is_within = measured >= advice.low && measured <= advice.high;
  fmt::print("{:28} advice: saves {:.3f} ({:.3f} to {:.3f}); measured: {:.3f}, {}\n", program.name,
             advice.seconds, advice.low, advice.high, measured, is_within ? "within" : "not within");
  return {{"saves", advice.seconds}, {"low", advice.low}, {"high", advice.high}, {"measured", measured}};
}

nlohmann::ordered_json to_json(const Quantiles& seconds) {
  return {{"p10", seconds.p10}, {"median", seconds.median}, {"p90", seconds.p90}};
}

nlohmann::ordered_json to_json(const Program& program, const std::vector<Way>& ways) {
  nlohmann::ordered_json json{{"name", program.name},
                              {"from", program.from},
                              {"command", fmt::format("{}", fmt::join(program.command, " "))},
                              {"ranks", program.ranks},
                              {"openmp", program.has_openmp}};
  for (const Way& way : ways)
    json["ways"].push_back({{"threads", way.threads},
                            {"helpers", way.helpers},
                            {"runs", way.total.size()},
                            {"seconds", to_json(quantiles(way.total))},
                            {"seconds_in_mpi", to_json(quantiles(way.in_mpi))}});
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

/// Of the list, those programs that are asked for and there.
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
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  bool has_failed = false;
  for (const Program& program : programs) {
    try {
      const auto ways = measure(program, settings, settings.budget / static_cast<double>(programs.size()));
      print(program, ways);
      json.push_back(to_json(program, ways));
      if (const auto advice = ask(program, std::filesystem::absolute(settings.folder / program.folder)))
        json.back()["advice"] = compare(program, *advice, ways);
    } catch (const std::runtime_error& failed) { // the others are measured all the same
      fmt::print(stderr, "{}\n", failed.what());
      has_failed = true;
    }
  }
  if (!settings.json.empty()) write_json(json, settings.json);
  if (has_failed) throw std::runtime_error("not all programs could be measured");
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Runs public programs natively and with the library preloaded, in turn: total time, launch included, "
      "and "
      "time in MPI.\nTo be run by itself, without mpiexec, on an idle machine with at least two processors.",
      "programs"};
  Settings settings;
  app.add_option("FOLDER", settings.folder,
                 "Where the programs are, each in its folder of the list, built with this MPI")
      ->required()
      ->check(CLI::ExistingDirectory.description(""));
  app.add_option("--list", settings.list, "The list of programs; default: bench/programs/list.json")
      ->type_name("FILE");
  app.add_option("--only", settings.only, "Run only the programs in these folders")
      ->delimiter(',')
      ->type_name("LIST");
  app.add_option("--budget", settings.budget, "Time for all measurements together; default: 540")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber.description(""));
  app.add_option("--rounds", settings.rounds, "Run each program so often at least; default: 3")
      ->type_name("NUMBER");
  app.add_option("--json", settings.json, "Write the figures to this file")->type_name("FILE");
  return run_program(app, argc, argv, [&] { run_all(settings); });
}
