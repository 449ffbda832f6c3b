// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

namespace {

using bench::quantiles;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

struct Settings {
  std::filesystem::path folder;
  std::string list = PROGRAM_LIST, packed;
  Words only;
  std::vector<int> threads{2};
  double budget = 540;    ///< seconds for all
  std::size_t rounds = 3; ///< at least, even if the time budget is for fewer
};

/// What starts programs and is preloaded to them, and where the programs are that the user need not build.
struct Tools {
  std::string launcher, env, timing, helpers;
  std::filesystem::path provided;
};

/// Returns the tools of this build or, if there is one, of a folder that pack_up has made.
Tools tools_of(const std::string& packed) {
  if (packed.empty()) return {MPI_LAUNCHER, "env", TIMING_LIBRARY, HELPER_LIBRARY, PROVIDED_PROGRAMS};
  const std::string folder = std::filesystem::absolute(packed);
  return {folder + "/programs/mpiexec", folder + "/programs/env", folder + "/lib/libtime_in_mpi.so",
          folder + "/lib/libmpi_helper.so", folder + "/provided"};
}

struct Program {
  std::string name, folder, from;
  Words command;
  int ranks;
  bool openmp;
  std::filesystem::path path{}; ///< of its folder
};

struct Way {
  int threads;
  std::string helpers; ///< value of MPI_HELPER_THREADS; empty: without the library
};

/// Seconds of a run: of the whole command, and of a rank in MPI.
struct Times {
  double total, in_mpi;
};

/// The seconds that a team of one saves, as `mpi_helper advise` estimates.
struct Advice {
  double seconds, low, high;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Program, name, folder, from, command, ranks, openmp)

/// The first two are with one thread. A program without OpenMP has only one native way.
std::vector<Way> ways_of(const Program& program, const std::vector<int>& numbers) {
  std::vector<Way> ways{{1, ""}, {1, "1"}};
  for (const int threads : numbers) {
    if (program.openmp) ways.push_back({threads, ""});
    ways.push_back({threads, program.openmp ? "openmp" : std::to_string(threads)});
  }
  return ways;
}

/// Runs a program in its folder with additional environment variables. Its output goes to the file `log`
/// there.
void execute(const Program& program, const Words& variables, const Tools& tools) {
  const std::string folder = program.path.string();
  const auto command =
      fmt::format("cd '{}' && '{}' -n {} '{}' {} {} >log 2>&1 </dev/null", folder, tools.launcher,
                  program.ranks, tools.env, fmt::join(variables, " "), fmt::join(program.command, " "));
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error(fmt::format("{} has failed; see {}/log", command, folder));
}

Times run(const Program& program, const Way& way, const Tools& tools) {
  const auto time_in_mpi = program.path / "time_in_mpi";
  std::filesystem::remove(time_in_mpi);
  Words variables{"TIME_IN_MPI=" + time_in_mpi.string(), "LD_PRELOAD=" + tools.timing};
  if (!way.helpers.empty()) {
    variables.back() += ":" + tools.helpers;
    variables.push_back("MPI_HELPER_THREADS=" + way.helpers);
  }
  if (program.openmp) variables.push_back(fmt::format("OMP_NUM_THREADS={}", way.threads));
  const auto begun = Clock::now();
  execute(program, variables, tools);
  const double total = std::chrono::duration<double>(Clock::now() - begun).count();
  double in_mpi = 0;
  if (!(std::ifstream(time_in_mpi) >> in_mpi))
    throw std::runtime_error(program.name + " has not called MPI_Finalize");
  return {total, in_mpi};
}

/// Runs the program natively with one thread and asks for advice. Returns nothing if the library did not
/// replay its calls.
std::optional<Advice> ask(const Program& program, const Tools& tools) {
  Words variables{"LD_PRELOAD=" + tools.helpers, "MPI_HELPER_ADVICE=1"};
  if (program.openmp) variables.push_back("OMP_NUM_THREADS=1");
  execute(program, variables, tools);
  std::ifstream log(program.path / "log");
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
void compare(const Program& program, const Advice& advice, double measured) {
  const bool is_within = measured >= advice.low && measured <= advice.high;
  fmt::print("{:28} advice: saves {:.3f} ({:.3f} to {:.3f}); measured: {:.3f}, {}\n", program.name,
             advice.seconds, advice.low, advice.high, measured, is_within ? "within" : "not within");
}

/// Returns the programs of the list that are asked for and that are in the user's folder or provided.
std::vector<Program> programs_of(const Settings& settings, const Tools& tools) {
  std::ifstream file(settings.list);
  if (!file) throw std::runtime_error("cannot read " + settings.list);
  std::vector<Program> programs;
  for (Program& program : nlohmann::json::parse(file).get<std::vector<Program>>()) {
    if (!settings.only.empty() && std::ranges::count(settings.only, program.folder) == 0) continue;
    program.path = std::filesystem::absolute(settings.folder / program.folder);
    if (settings.folder.empty() || !std::filesystem::is_directory(program.path))
      program.path = tools.provided / program.folder;
    if (std::filesystem::is_directory(program.path))
      programs.push_back(program);
    else if (!settings.folder.empty())
      fmt::print(stderr, "{} is not there, the folder {} for what is in {}\n", program.name, program.folder,
                 program.from);
  }
  return programs;
}

/// Adds lines of seconds: of the whole command, and of a rank in MPI.
void run_all(const Settings& settings, bench::Lines& lines) {
  const Tools tools = tools_of(settings.packed);
  const auto programs = programs_of(settings, tools);
  bool has_failed = false;
  for (const Program& program : programs) {
    try {
      const std::vector<Way> ways = ways_of(program, settings.threads);
      const auto end = Clock::now() +
                       std::chrono::duration<double>(settings.budget / static_cast<double>(programs.size()));
      const auto times = bench::take_alternately(
          ways.size(), settings.rounds, std::numeric_limits<std::size_t>::max(),
          [&](std::size_t way) { return run(program, ways[way], tools); }, [&] { return Clock::now() < end; },
          true);
      for (std::size_t i = 0; i < ways.size(); ++i)
        lines.add({{"name", program.name},
                   {"ranks", program.ranks},
                   {"threads", ways[i].threads},
                   {"helpers", ways[i].helpers},
                   {"total", quantiles(times[i], &Times::total)},
                   {"in_mpi", quantiles(times[i], &Times::in_mpi)},
                   {"runs", times[i].size()}});
      const auto in_mpi = [&](std::size_t way) { return bench::median(times[way], &Times::in_mpi); };
      if (const auto advice = ask(program, tools)) compare(program, *advice, in_mpi(0) - in_mpi(1));
    } catch (const std::runtime_error& failed) { // the other programs are measured anyway
      fmt::print(stderr, "{}\n", failed.what());
      has_failed = true;
    }
  }
  if (has_failed) {
    lines.write();
    throw std::runtime_error("not all programs could be measured");
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  bench::Program program("programs",
                         "Runs programs natively and with the library preloaded, alternately: total time, "
                         "launch included, and time\n"
                         "in MPI. Run it without mpiexec, on an idle machine with at least two cores.");
  program
      .add_option("FOLDER", settings.folder,
                  "Programs built with this MPI, each in its folder of the list; those of this project are "
                  "always there")
      ->check(CLI::ExistingDirectory.description(""));
  program.add("--list", settings.list, "The list of programs", "FILE");
  program.add("--only", settings.only, "Run only the programs in these folders", "FOLDER");
  program.add_number("--threads", settings.threads, "Threads of a rank, in addition to runs with one thread");
  program.add("--packed", settings.packed,
              "Use the tools and programs in this folder, which pack_up has made", "FOLDER");
  program.add_budget(settings.budget);
  program.add("--rounds", settings.rounds, "Least runs of each program", "N");
  return program.run(argc, argv, [&](bench::Lines& lines) { run_all(settings, lines); });
}
