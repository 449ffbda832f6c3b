// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "figures.hpp"
#include "markdown.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace {

using namespace bench::report;

struct Settings {
  std::vector<std::string> folders;
  std::string page, tables;
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
  for (const auto add : {add_questions, add_timeline, add_collectives, add_messages, add_helpers, add_groups,
                         add_trees, add_nodes, add_machine})
    add(page, results);
  return page.html(
      "MPI Helper Teams: what was measured",
      lead(results) +
          "Below each figure stand the command that made it, when, and where. The texts around tables are "
          "those of the pages in docs/, and say what was found there.");
}

void remake_tables(const std::filesystem::path& folder, const Results& results) {
  for (const std::string& name : pages_with_tables()) {
    std::ifstream in(folder / name);
    if (!in) throw std::system_error(errno, std::generic_category(), folder / name);
    const auto [page, figures] = with_tables(name, {std::istreambuf_iterator<char>(in), {}}, results);
    std::filesystem::create_directories(folder / "figures");
    for (const auto& [file, svg] : figures) bench::create_file(folder / "figures" / file) << svg;
    bench::create_file(folder / name) << page;
  }
}

void run(const Settings& settings) {
  const Results results(settings.folders);
  if (!settings.tables.empty()) remake_tables(settings.tables, results);
  if (!settings.page.empty()) bench::create_file(settings.page) << report(results);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Makes one HTML page of what the benchmarks have left in folders, which needs no network and "
               "no script, and\n"
               "tables and figures in pages of Markdown.",
               "report"};
  Settings settings;
  app.add_option("FOLDER", settings.folders,
                 "Where the results are: NAME.json and NAME.command; the first that has one counts, and "
                 "folders that are not there have none")
      ->required();
  app.add_option("--page", settings.page, "Write the page to this file")->type_name("FILE");
  app.add_option("--tables", settings.tables,
                 "Make the tables and figures of the pages in this folder anew, which is docs/")
      ->type_name("FOLDER");
  return bench::run_program(app, argc, argv, [&] { run(settings); });
}
