// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "threads.hpp"

namespace {

using namespace mcmc;
using Kind = Balancing::Kind;

struct Settings {
  Workload workload;
  std::vector<int> intervals{1, 16, 128};
  std::size_t found = sizeof(double);
  int repetitions = 1;
};

/// Measures each kind of balancing with independent threads and, if there are several threads, as a team.
void measure(const Settings& settings, bench::Lines& lines) {
  Workload workload = settings.workload;
  workload.found = std::max<std::size_t>(1, settings.found / sizeof(double));
  MPI_Comm_size(MPI_COMM_WORLD, &workload.processes);
  if (workload.processes % workload.group != 0)
    throw std::runtime_error("the number of ranks is no multiple of " + std::to_string(workload.group));
  std::vector<Balancing> balancings{{Kind::none}, {Kind::asynchronous}};
  if (workload.threads == 0) balancings.push_back({Kind::prompt}); // an item that is computed is not split
  for (const int interval : settings.intervals) balancings.push_back({Kind::collective, interval});
  std::vector<std::pair<Balancing, bool>> ways; // and whether as a team
  for (const Balancing& balancing : balancings) {
    ways.emplace_back(balancing, false);
    if (workload.threads > 1) ways.emplace_back(balancing, true);
  }
  if (workload.threads > 0) calibrate();
  auto samples = bench::take(ways.size(), settings.repetitions, [&](std::size_t i) {
    workload.teams = ways[i].second;
    Threads threads(workload);
    return run(workload, ways[i].first, threads);
  });
  for (std::vector<Result>& runs : samples) {
    const auto middle = runs.begin() + settings.repetitions / 2;
    std::ranges::nth_element(runs, middle, {}, [](const Result& run) { return run.outcome.seconds; });
    lines.add(json_of(*middle));
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  bench::Program program(
      "mcmc", "Load balancing of a Markov chain Monte Carlo benchmark by merging groups of ranks, after "
              "Dinan et al.\n"
              "Ranks sleep instead of working, unless --threads is given. Run 32 ranks with mpiexec.");
  Workload& workload = settings.workload;
  program.add("--milliseconds", workload.milliseconds, "Time of an item at a single rank", "T");
  program.add_number("--group", workload.group, "Ranks of a group at the start");
  program
      .add_option("--threads", workload.threads,
                  "Compute, with N threads of each rank: from 2 on once by themselves and once as a team")
      ->check(CLI::PositiveNumber);
  program.add_number(
      "--slower", workload.slower,
      "Emulate a core for each thread: it computes for one N-th of an item's time, and sleeps");
  program.add_bytes("--found", settings.found,
                    "Bytes that each thread finds in an item. Its group adds them up");
  program.add_number("--repetitions", settings.repetitions, "Runs of each, of which the median counts");
  program.add("--intervals", settings.intervals, "Intervals of collective balancing, in items", "N");
  return program.run_ranks(argc, argv, [&](int, bench::Lines& lines) { measure(settings, lines); });
}
