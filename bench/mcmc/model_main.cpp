// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/panels.hpp"
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
  std::string json, plot;
};

/// Figure 2 of the paper.
void plot(const std::vector<Result>& results, const std::string& base) {
  bench::Panel panel{"Fig. 2: weak scaling, in the model", "processes", "s", true, false, {}};
  bench::Curve ideal{"ideal", 0, true, {}};
  for (const Result& result : results) {
    const std::string name = result.balancing.name();
    auto curve = std::ranges::find(panel.curves, name, &bench::Curve::title);
    if (curve == panel.curves.end())
      curve = panel.curves.insert(curve, {name, panel.curves.size() + 1, false, {}});
    curve->points.emplace_back(result.workload.processes, result.outcome.seconds);
    if (result.balancing.kind == Kind::none)
      ideal.points.emplace_back(result.workload.processes, result.workload.ideal_seconds());
  }
  panel.curves.push_back(ideal);
  bench::plot_panels({panel}, "Markov chain Monte Carlo, balanced", base);
}

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
  if (!settings.plot.empty()) plot(results, settings.plot);
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
  app.add_option("--plot", settings.plot, "Write Figure 2 to BASENAME.gp, and BASENAME.svg by gnuplot")
      ->type_name("BASENAME");
  return bench::run_program(app, argc, argv, [&] { run(settings); });
}
