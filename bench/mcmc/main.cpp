// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "arithmetic.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "run.hpp"

#include <CLI/CLI.hpp>
#include <mpi_helper.h>

#include <stdexcept>

namespace {

using namespace mcmc;
using Kind = Balancing::Kind;

struct Settings {
  Workload workload;
  std::vector<int> intervals{1, 16, 128};
  std::string json, timelines;
};

void measure(const Settings& settings, int rank) {
  Workload workload = settings.workload;
  if (workload.threads > 0) calibrate();
  MPI_Comm_size(MPI_COMM_WORLD, &workload.processes);
  if (workload.processes % workload.group != 0)
    throw std::runtime_error("the number of ranks is no multiple of " + std::to_string(workload.group));
  std::vector<Balancing> all{{Kind::none}, {Kind::asynchronous}};
  if (workload.threads == 0) all.push_back({Kind::prompt}); // an item that is computed is not split
  for (const int interval : settings.intervals) all.push_back({Kind::collective, interval});
  std::vector<Result> results;
  if (rank == 0) print_head();
  for (const Balancing& balancing : all) {
    const Result& seen = results.emplace_back(run(workload, balancing));
    if (rank != 0) continue;
    print_line(seen, PAPER_TABLE);
    if (!settings.timelines.empty())
      bench::create_file(settings.timelines + "-" + balancing.name() + ".svg")
          << timeline(balancing.name(), seen.groups, seen.outcome.seconds_to_end);
  }
  if (rank == 0 && !settings.json.empty()) write_json(results, settings.json);
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
  app.add_option("--threads", settings.workload.threads, "Compute, with so many threads of each rank")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--intervals", settings.intervals, "Of collective balancing, in items; default: 1,16,128")
      ->delimiter(',')
      ->type_name("LIST");
  app.add_option("--json", settings.json, "Write everything to this file")->type_name("FILE");
  app.add_option("--timelines", settings.timelines,
                 "Draw who belonged to which group when, to BASENAME-<balancing>.svg")
      ->type_name("BASENAME");
  return bench::run_ranks(app, argc, argv, [&](int rank) {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    MPI_Helper_team_create(1, 1, &team);
    MPI_Helper_join(team);
    measure(settings, rank);
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  });
}
