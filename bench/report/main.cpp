// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "figures.hpp"
#include "markdown.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace {

using namespace bench::report;

struct Settings {
  std::string folder, page, figure, tables;
};

std::string lead(const Results& results) {
  const auto throughput = results.json("throughput");
  if (!throughput) return "";
  const auto& machine = (*throughput)["machine"];
  return escaped(fmt::format("{} ranks, {} processing units a node, {}, {}. ", machine["ranks"].get<int>(),
                             machine["processing_units"].get<int>(), machine["processor"].get<std::string>(),
                             machine["mpi"].get<std::string>()));
}

std::string report(const Results& results) {
  Page page;
  for (const auto add : {add_collectives, add_helpers, add_timeline, add_messages, add_costs, add_groups,
                         add_trees, add_nodes, add_machine})
    add(page, results);
  return page.html("MPI Helper Teams: what was measured",
                   lead(results) + "Below each figure stand what to look for and the command that made it.");
}

void remake_tables(const std::string& file, const Results& results) {
  std::ifstream in(file);
  if (!in) throw std::system_error(errno, std::generic_category(), file);
  const std::string page = with_tables({std::istreambuf_iterator<char>(in), {}}, results);
  bench::create_file(file) << page;
}

void run(const Settings& settings) {
  const Results results(settings.folder);
  if (!settings.tables.empty()) remake_tables(settings.tables, results);
  if (!settings.page.empty()) bench::create_file(settings.page) << report(results);
  if (settings.figure.empty()) return;
  const auto throughput = results.json("throughput");
  if (!throughput) throw std::runtime_error("there is no throughput.json in " + settings.folder);
  bench::create_file(settings.figure) << picture(allreduce_speedup(*throughput), Values::bytes);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Makes one HTML page of what the benchmarks have left in a folder, which needs no network and "
               "no script, and\n"
               "tables in a page of Markdown.",
               "report"};
  Settings settings;
  app.add_option("FOLDER", settings.folder, "Where the results are: NAME.json and NAME.command")->required();
  app.add_option("--page", settings.page, "Write the page to this file")->type_name("FILE");
  app.add_option("--figure", settings.figure, "Write the figure of the README, an SVG, to this file")
      ->type_name("FILE");
  app.add_option("--tables", settings.tables,
                 "Make the tables in this file anew, which is docs/performance.md")
      ->type_name("FILE");
  return bench::run_program(app, argc, argv, [&] { run(settings); });
}
