// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/program.hpp"
#include "common/progress.hpp"
#include "picture.hpp"
#include "report.hpp"
#include "study.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

namespace {

using namespace bench;
using helper::tree::Rank;

constexpr auto description =
    R"(Enrolment in system-ranked process groups, by the library's own algorithms on a simulated Blue Gene/P,
beside what Langer, Venkataraman and Kale measured on a real one (Table II of "Distributed Algorithms for
Constructing Balanced Spanning Trees on System-ranked Process Groups").

A time is that from the begin of a broadcast, which starts all processes, to the end of a reduction over the
new group. The model's costs are fitted to the paper's hash column and to three cells of the others; --fit
does it again. All else is prediction.)";

struct Settings {
  std::vector<std::string> schemes{"centralised", "balance", "hash"};
  std::vector<double> fractions{0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99};
  std::vector<Rank> processes{2048, 4096, 8192, 16384, 32768, 65536, 131072};
  bool fit = false, hash_alone = false;
  std::string json, plot, picture;
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
  app.add_flag("--hash-alone", settings.hash_alone, "Use only those costs that the hash column tells");
  app.add_option("--json", settings.json, "Write everything to this file")->type_name("FILE");
  app.add_option("--plot", settings.plot,
                 "Write Figs. 6, 7 and 8 to BASENAME.gp, and BASENAME.svg by gnuplot")
      ->type_name("BASENAME");
  app.add_option(
         "--picture", settings.picture,
         "Write the trees of 20 processes before and after enrolment of a half to this file, for Graphviz")
      ->type_name("FILE");
}

model::EnrolmentCosts choose_costs(const Settings& settings, const Paper& paper) {
  auto costs = blue_gene();
  if (settings.fit)
    costs = fit(paper, [](const std::string& line) { fmt::print(stderr, "fit: {}\n", line); });
  return settings.hash_alone ? without_lists(costs) : costs;
}

void run(const Settings& settings) {
  const Paper paper(PAPER_TABLE);
  const auto costs = choose_costs(settings, paper);
  std::vector<const NamedScheme*> schemes;
  for (const std::string& name : settings.schemes) schemes.push_back(&named_scheme(name));
  print_costs(costs);
  print_table_head(schemes);
  Cells cells;
  Progress progress(settings.progress, settings.fractions.size() * settings.processes.size());
  for (const double fraction : settings.fractions) {
    for (const Rank processes : settings.processes) {
      progress.begin(fmt::format("{} of {} processes", fraction, processes));
      Cells line;
      for (const NamedScheme* scheme : schemes)
        line.push_back(run_cell(paper, *scheme, fraction, processes, costs));
      progress.clear();
      print_line(line);
      cells.insert(cells.end(), line.begin(), line.end());
    }
  }
  print_summary(cells, schemes);
  if (!settings.json.empty()) write_json(cells, costs, settings.json);
  if (!settings.plot.empty()) plot(cells, settings.plot);
  if (!settings.picture.empty()) draw_trees(schemes, 20, 0.5, settings.picture);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app;
  Settings settings;
  add_options(app, settings);
  return run_program(app, argc, argv, [&] { run(settings); });
}
