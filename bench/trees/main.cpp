// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "model/blue_gene.hpp"
#include "picture.hpp"
#include "report.hpp"
#include "shrinking.hpp"
#include "study.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <unistd.h>

namespace {

using namespace bench;
using helper::groups::tree::Rank;

constexpr auto description =
    R"(Enrolment in system-ranked process groups, by the library's own algorithms on a simulated Blue Gene/P,
beside what Langer, Venkataraman and Kale measured on a real one (Table II of "Distributed Algorithms for
Constructing Balanced Spanning Trees on System-ranked Process Groups").

A time is that from the begin of a broadcast, which starts all processes, to the end of a reduction over the
new group. The model's latency and overhead are fitted to the paper's hash column; --fit does it again. The
other columns are prediction.)";

struct Settings {
  std::vector<std::string> schemes{"centralised", "balance", "hash"};
  std::vector<double> fractions{0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99};
  std::vector<Rank> processes{2048, 4096, 8192, 16384, 32768, 65536, 131072};
  std::vector<double> list_costs;
  bool fit = false, check = false, memory = false;
  std::string json;
  ProgressStyle progress = isatty(STDERR_FILENO) ? ProgressStyle::terminal : ProgressStyle::lines;
};

void add_options(CLI::App& app, Settings& settings) {
  app.name("trees");
  app.description(description);
  app.get_formatter()->column_width(24);
  std::vector<std::string> names;
  for (const NamedScheme& scheme : named_schemes()) names.push_back(scheme.name);
  const auto silent = [](CLI::Validator validator) { return validator.description(""); };
  app.add_option("--schemes", settings.schemes,
                 fmt::format("Which of {}; default: centralised,balance,hash", fmt::join(names, ", ")))
      ->delimiter(',')
      ->type_name("LIST")
      ->check(silent(CLI::IsMember(names)));
  app.add_option("--fractions", settings.fractions,
                 "Which fractions of the processes participate; default: the paper's")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(silent(CLI::Range(0.0, 1.0)));
  app.add_option("--processes", settings.processes, "How many processes there are; default: 2048 to 131072")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(silent(CLI::Range(1, 1 << 24)));
  app.add_flag("--fit", settings.fit, "Fit the costs to the paper's figures first; takes some minutes");
  app.add_flag("--check", settings.check, "Fail unless the model is as close to the paper as it is to be");
  app.add_flag("--memory", settings.memory,
               "Show what processes have in memory in place of messages and times");
  app.add_option(
         "--list-costs", settings.list_costs,
         "Besides, what comes out, at up to 64k processes, if a list and each filler in it cost so many "
         "messages, 1 elsewhere")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(silent(CLI::NonNegativeNumber));
  app.add_option("--json", settings.json, "Write everything to this file")->type_name("FILE");
}

void run(const Settings& settings) {
  const Paper paper(PAPER_TABLE);
  const auto tell = [](const std::string& line) { fmt::print(stderr, "fit: {}\n", line); };
  const auto costs = settings.fit ? fit(paper, tell) : model::blue_gene::fitted;
  std::vector<const NamedScheme*> schemes;
  for (const std::string& name : settings.schemes) schemes.push_back(&named_scheme(name));
  print_costs(costs);
  (settings.memory ? print_memory_head : print_table_head)(schemes);
  Cells cells;
  Progress progress(settings.progress, settings.fractions.size() * settings.processes.size());
  for (const double fraction : settings.fractions) {
    for (const Rank processes : settings.processes) {
      progress.begin(fmt::format("{} of {} processes", fraction, processes));
      Cells line;
      for (const NamedScheme* scheme : schemes)
        line.push_back(run_cell(paper, *scheme, fraction, processes, costs));
      progress.clear();
      (settings.memory ? print_memory_line : print_line)(line);
      cells.insert(cells.end(), line.begin(), line.end());
    }
  }
  if (!settings.memory) print_summary(cells, schemes);
  const bool meets_aims = settings.memory || print_aims(cells);
  std::vector<ListCost> list_costs;
  const Rank most = std::min(std::ranges::max(settings.processes), 65536); // of the paper's Figs. 6 and 8
  for (const double cost : settings.list_costs) list_costs.push_back(run_list_cost(paper, cost, most, costs));
  if (!list_costs.empty()) print_list_costs(list_costs);
  const auto trace = run_traced(named_scheme("hash-child"), 40, costs);
  const auto pictures = shrinking_pictures();
  if (!settings.json.empty()) write_json(cells, list_costs, trace, pictures, costs, settings.json);
  if (settings.check && !meets_aims) throw std::runtime_error("the model is too far from the paper");
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app;
  Settings settings;
  add_options(app, settings);
  return run_program(app, argc, argv, [&] { run(settings); });
}
