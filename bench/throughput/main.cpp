// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/crew.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "jobs/peers.hpp"
#include "measure.hpp"
#include "report.hpp"
#include "workload.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>

namespace {

using namespace bench;

/// 1, 2, 4 … up to the processing units of a rank, that number itself, and at least 1 and 2.
std::vector<int> default_teams(const Machine& machine) {
  const int largest = std::max(2, machine.processing_units / machine.ranks_per_node);
  std::vector<int> teams;
  for (int size = 1; size < largest; size *= 2) teams.push_back(size);
  teams.push_back(largest);
  return teams;
}

std::vector<std::size_t> sizes(const Settings& settings) {
  std::vector<std::size_t> sizes = settings.sizes;
  if (!sizes.empty()) return sizes;
  for (auto bytes = std::bit_ceil(settings.min_bytes); bytes <= settings.max_bytes; bytes *= 2)
    sizes.push_back(bytes);
  return sizes;
}

/// Measures everything; the first rank, `reporting`, shows it as it goes.
void measure_all(Report& report, Stage& stage, bool reporting) {
  const Settings& settings = report.settings;
  const auto messages = sizes(settings);
  auto remaining = messages.size() * settings.operations.size();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.budget);
  Progress progress(reporting ? settings.progress : ProgressStyle::none, remaining);

  for (const Operation operation : settings.operations) {
    Series series{operation, {}};
    for (const std::size_t bytes : messages) {
      Workload workload(operation, bytes, settings.stride, settings.memory);
      progress.begin(workload.name());
      // Small messages seldom need their share of the time; what they leave falls to the large ones.
      const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
      Point& point = series.points.emplace_back(
          measure(workload, stage, report.variants, left / static_cast<double>(remaining--)));
      for (const Variant& variant : report.variants)
        point.modelled.push_back(modelled(operation, bytes, variant.native(), report.machine));
    }
    progress.clear();
    if (reporting) print_table(report, series);
    report.series.push_back(std::move(series));
  }
}

void run(const Settings& settings, bool reporting) {
  Report report{settings, find_machine(), {Variant{}}, {}};
  const Machine& machine = report.machine;
  if (report.settings.teams.empty()) report.settings.teams = default_teams(machine);
  // The jobs of other MPIs are started on this node only, so they are compared only if all ranks are there.
  std::vector<Peer> peers;
  if (reporting && machine.ranks == machine.ranks_per_node)
    peers = start_peers(OPEN_MPI_WORKER, settings.peers,
                        {std::to_string(settings.stride), name(settings.memory)}, machine.ranks);
  int peer_count = static_cast<int>(peers.size());
  PMPI_Bcast(&peer_count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int peer = 0; peer < peer_count; ++peer)
    report.variants.push_back(
        {.peer = peer, .peer_name = reporting ? peers[static_cast<std::size_t>(peer)].name : "another MPI"});
  for (const int team : report.settings.teams)
    report.variants.push_back(
        {.team = team, .oversubscribed = team * machine.ranks_per_node > machine.processing_units});

  if (reporting)
    fmt::print("{} ranks, {} processing units per node ({}, {}), {}{}\n"
               "Time per call: median and 10th-90th percentile of samples; ratio: native time / team time\n",
               machine.ranks, machine.processing_units, machine.host, machine.processor, machine.mpi,
               versions(peers));
  Crew crew(report.settings.teams);
  Stage stage{crew, peers, machine.ranks_per_node > machine.processing_units};
  crew.run([&] { measure_all(report, stage, reporting); });
  if (reporting) print_agreement(report);
  if (reporting && !settings.json.empty()) write_json(report, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app;
  Settings settings;
  add_options(app, settings);
  return run_ranks(app, argc, argv, [&](int rank) { run(settings, rank == 0); });
}
