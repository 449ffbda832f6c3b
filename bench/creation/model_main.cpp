// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "model/blue_gene.hpp"
#include "model/creation.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <stdexcept>

namespace {

using model::Created;
using model::CreationWay;

struct Settings {
  int parent = 8192;
  std::string json;
};

/// All ways at one size of the group.
struct Line {
  int size;
  std::vector<Created> created;
};

void print_head(int parent) {
  fmt::print("of {:>6}", parent);
  for (const CreationWay& way : model::creation_ways()) fmt::print(" | {:^26}", way.name);
  fmt::print("\n{:>9}", "group");
  for (std::size_t i = 0; i < model::creation_ways().size(); ++i)
    fmt::print(" | {:>8} {:>6} {:>10}", "messages", "steps", "us");
  fmt::print("\n");
}

void print_line(const Line& line) {
  fmt::print("{:9}", line.size);
  for (const auto& [seconds, messages, steps] : line.created)
    fmt::print(" | {:8} {:6} {:10.1f}", messages, steps, seconds * 1e6);
  fmt::print("\n");
  std::fflush(stdout);
}

/// From which size on making a group by its members alone takes longer than MPI_Comm_create.
void print_crossover(const std::vector<Line>& lines) {
  const auto& ways = model::creation_ways();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (ways[i].collective_over_parent) continue;
    const auto slower = std::ranges::find_if(
        lines, [&](const Line& line) { return line.created[i].seconds > line.created[0].seconds; });
    fmt::print("{:10} {}\n", ways[i].name,
               slower == lines.end()
                   ? "is never slower than " + ways[0].name
                   : fmt::format("is slower than {} from {} on", ways[0].name, slower->size));
  }
}

void write_json(const std::vector<Line>& lines, int parent, const std::string& file) {
  auto json = nlohmann::ordered_json::array();
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.created.size(); ++i) {
      const auto& [name, collective] = model::creation_ways()[i];
      const auto& [seconds, messages, steps] = line.created[i];
      json.push_back({{"way", name},
                      {"collective_over_parent", collective},
                      {"parent", parent},
                      {"group", line.size},
                      {"seconds", seconds},
                      {"messages", messages},
                      {"steps", steps}});
    }
  bench::write_json(json, file);
}

void run(const Settings& settings) {
  if ((settings.parent & (settings.parent - 1)) != 0)
    throw std::runtime_error("the parent is a power of two");
  print_head(settings.parent);
  std::vector<Line> lines;
  for (int size = 2; size <= settings.parent; size *= 2) {
    Line& line = lines.emplace_back(Line{size, {}});
    for (const CreationWay& way : model::creation_ways())
      line.created.push_back(model::create(way, settings.parent, size, model::blue_gene::fitted));
    print_line(line);
  }
  print_crossover(lines);
  if (!settings.json.empty()) write_json(lines, settings.parent, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "What it takes to create a communicator of a group, on a simulated Blue Gene/P: Fig. 1 of Dinan et "
      "al.,\n\"Noncollective Communicator Creation in MPI\", with the library's ways and an enrolment "
      "besides.",
      "creation_model"};
  Settings settings;
  app.add_option("--parent", settings.parent, "Processes of the parent, a power of two; default: 8192")
      ->type_name("N")
      ->check(CLI::Range(2, 1 << 15));
  app.add_option("--json", settings.json, "Write everything to this file")->type_name("FILE");
  return bench::run_program(app, argc, argv, [&] { run(settings); });
}
