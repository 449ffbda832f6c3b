// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/program.hpp"
#include "model/blue_gene.hpp"
#include "report.hpp"
#include "simulated.hpp"

#include <CLI/CLI.hpp>

namespace {

using namespace mcmc;
using Kind = Balancing::Kind;

struct Settings {
  int processes = 8192;
  std::string json;
};

void run(const Settings& settings) {
  print_head();
  std::vector<Result> results;
  for (int processes = 32; processes <= settings.processes; processes *= 2) {
    std::vector<Balancing> all{{Kind::none}, {Kind::asynchronous}, {Kind::prompt}};
    for (int interval = 1; interval <= 128; interval *= 2) all.push_back({Kind::collective, interval});
    for (const Balancing& balancing : all) {
      const Workload workload{.processes = processes};
      results.push_back({workload, balancing, simulate(workload, balancing, model::blue_gene::fitted)});
      if (processes * 2 > settings.processes) print_line(results.back(), PAPER_TABLE);
    }
  }
  if (!settings.json.empty()) write_json(results, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Load balancing of a Markov chain Monte Carlo benchmark by merging groups of processes, on a simulated "
      "Blue Gene/P,\nbeside Table 1 of Dinan et al., \"Noncollective Communicator Creation in MPI\".",
      "mcmc_model"};
  Settings settings;
  app.add_option("--processes", settings.processes, "The most; default: 8192")
      ->type_name("N")
      ->check(CLI::Range(32, 1 << 20));
  app.add_option("--json", settings.json, "Write everything to this file")->type_name("FILE");
  return bench::run_program(app, argc, argv, [&] { run(settings); });
}
