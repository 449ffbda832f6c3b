// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/program.hpp"
#include "run.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

namespace {

using namespace mcmc;
using Kind = Balancing::Kind;

struct Settings {
  Workload workload;
  std::vector<int> intervals{1, 16, 128};
  std::size_t found = sizeof(double);
  int repetitions = 1;
  std::string json;
};

std::vector<Balancing> balancings(const Settings& settings) {
  std::vector<Balancing> all{{Kind::none}, {Kind::asynchronous}};
  if (settings.workload.threads == 0) all.push_back({Kind::prompt}); // an item that is computed is not split
  for (const int interval : settings.intervals) all.push_back({Kind::collective, interval});
  return all;
}

Result measure(const Result& planned) {
  Threads threads(planned.workload);
  return run(planned.workload, planned.balancing, threads);
}

/// All that is measured: each balancing with threads by themselves, and, where there are several, as a team.
std::vector<Result> plan(const Settings& settings) {
  Workload workload = settings.workload;
  workload.found = std::max<std::size_t>(1, settings.found / sizeof(double));
  MPI_Comm_size(MPI_COMM_WORLD, &workload.processes);
  if (workload.processes % workload.group != 0)
    throw std::runtime_error("the number of ranks is no multiple of " + std::to_string(workload.group));
  std::vector<Result> all;
  for (const Balancing& balancing : balancings(settings)) {
    for (const bool teams : {false, true}) {
      workload.teams = teams;
      if (!teams || workload.threads > 1) all.push_back({workload, balancing, {}});
    }
  }
  return all;
}

void measure(const Settings& settings, int rank) {
  std::vector<Result> results = plan(settings);
  if (settings.workload.threads > 0) calibrate();
  std::vector<std::vector<Result>> samples(results.size());
  for (int repetition = 0; repetition < settings.repetitions; ++repetition)
    for (std::size_t i = 0; i < results.size(); ++i) samples[i].push_back(measure(results[i]));
  if (rank != 0) return;
  print_head();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto middle = samples[i].begin() + settings.repetitions / 2;
    std::ranges::nth_element(samples[i], middle, {}, [](const Result& run) { return run.outcome.seconds; });
    const Result& seen = results[i] = *middle;
    print_line(seen, PAPER_TABLE);
  }
  if (!settings.json.empty()) write_json(results, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Load balancing of a Markov chain Monte Carlo benchmark by merging groups of ranks, after Dinan et "
      "al., "
      "\"Noncollective\nCommunicator Creation in MPI\", section 4.2. Ranks sleep instead of working, "
      "unless they are told to compute. To be run by mpiexec, with a multiple\nof the ranks of a group; 32 "
      "are "
      "one cycle of the workload.",
      "mcmc"};
  Settings settings;
  app.add_option("--milliseconds", settings.workload.milliseconds,
                 "What an item takes a single rank; default: 100")
      ->type_name("T");
  app.add_option("--group", settings.workload.group, "Ranks of a group at the beginning; default: 4")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option(
         "--threads", settings.workload.threads,
         "Compute, with so many threads of each rank; from two on once by themselves and once as a team")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--slower", settings.workload.slower,
                 "Emulate a core for each thread: it computes for one part in so many of an item's time, and "
                 "sleeps; default: 1")
      ->check(CLI::PositiveNumber)
      ->type_name("TIMES");
  app.add_option("--found", settings.found,
                 "Bytes that each thread finds in an item, which its group adds up; default: 8")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  app.add_option("--repetitions", settings.repetitions,
                 "Runs of each, of which the median is shown; default: 1")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--intervals", settings.intervals, "Of collective balancing, in items; default: 1,16,128")
      ->delimiter(',')
      ->type_name("LIST");
  app.add_option("--json", settings.json, "Write everything to this file")->type_name("FILE");
  return bench::run_ranks(app, argc, argv, [&](int rank) { measure(settings, rank); });
}
