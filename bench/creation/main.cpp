// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "common/text.hpp"
#include "measure.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

using namespace bench;

struct Settings {
  int repetitions = 3;
  std::vector<int> parents;
  std::string json;
};

void print_head() {
  fmt::print("{:>6} {:>6}", "parent", "group");
  for (const Way& way : ways()) fmt::print(" {:>15}", way.name);
  fmt::print(" {:>12}\n", "create/best");
}

void print_line(const Creation& creation) {
  fmt::print("{:6} {:6}", creation.parent, creation.size);
  for (const double seconds : creation.seconds) fmt::print(" {:>12} us", digits(seconds * 1e6));
  // How much faster than MPI_Comm_create is the best of what is collective over the group alone.
  double best = creation.seconds[0];
  for (std::size_t i = 0; i < ways().size(); ++i)
    if (!ways()[i].collective_over_parent) best = std::min(best, creation.seconds[i]);
  fmt::print(" {:>12}\n", digits(creation.seconds[0] / best));
  std::fflush(stdout);
}

void write_json(const std::vector<Creation>& creations, const std::string& file) {
  auto json = nlohmann::ordered_json::array();
  for (const Creation& creation : creations) {
    auto& entry = json.emplace_back();
    entry = {{"parent", creation.parent}, {"group", creation.size}};
    for (std::size_t i = 0; i < ways().size(); ++i) {
      entry["seconds"][ways()[i].name] = creation.seconds[i];
      if (ways()[i].collective_over_parent) entry["collective_over_parent"].push_back(ways()[i].name);
    }
  }
  bench::write_json(json, file);
}

void run(const Settings& settings, int rank) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) print_head();
  std::vector<Creation> all;
  std::vector<int> parents = settings.parents;
  if (parents.empty())
    for (int parent = 2; parent <= ranks; parent *= 2) parents.push_back(parent);
  for (const int parent : parents) {
    if (parent > ranks) throw std::runtime_error("parents are parts of the ranks");
    const auto creations = measure(parent, settings.repetitions);
    if (rank == 0) std::ranges::for_each(creations, print_line);
    all.insert(all.end(), creations.begin(), creations.end());
  }
  if (rank != 0) return;
  if (!settings.json.empty()) write_json(all, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "What it takes to create a communicator of a group: by MPI, collectively over the parent, and by "
      "the group's\nmembers alone; and a system-ranked group, by enrolment of the parent's. Median times at "
      "rank 0. To be run by mpiexec.",
      "creation"};
  Settings settings;
  app.add_option("--repetitions", settings.repetitions, "Samples of each way; default: 3")->type_name("N");
  app.add_option("--parents", settings.parents, "Sizes of the parent; default: 2, 4, 8 … up to all ranks")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->type_name("LIST");
  app.add_option("--json", settings.json, "Write the figures to this file")->type_name("FILE");
  return run_ranks(app, argc, argv, [&](int rank) { run(settings, rank); });
}
