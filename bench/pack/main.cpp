// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/binding.hpp"
#include "common/program.hpp"
#include "report.hpp"
#include "workload.hpp"

#include "team/helper_threads.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace {

using namespace bench;

struct Settings {
  std::vector<std::string> types; ///< empty: all
  std::vector<std::size_t> sizes{64 << 10, 512 << 10, 4 << 20, 16 << 20};
  double budget = 60; ///< seconds for all
  std::string json;
};

void add_options(CLI::App& app, Settings& settings) {
  std::vector<std::string> names;
  for (const TypeFamily& family : type_families()) names.emplace_back(family.name);
  app.add_option("--types", settings.types, fmt::format("Which of {}; default: all", fmt::join(names, ", ")))
      ->delimiter(',')
      ->type_name("LIST")
      ->check(CLI::IsMember(names).description(""));
  app.add_option("--sizes", settings.sizes, "Packed bytes, at least 32KiB; default: 64KiB,512KiB,4MiB,16MiB")
      ->delimiter(',')
      ->type_name("LIST")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::size_t{32} << 10, std::size_t{1} << 30).description(""));
  app.add_option("--budget", settings.budget, "Time for all measurements together; default: 60")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber.description(""));
  app.add_option("--json", settings.json, "Write the figures to this file")->type_name("FILE");
}

/// Seconds per run, after untimed ones that warm caches up and wake the helper.
double sample(Workload& workload, Direction direction, Way way, int runs) {
  constexpr double waking = 500e-6;
  double start = PMPI_Wtime();
  do workload.run(direction, way);
  while (way == Way::team && PMPI_Wtime() - start < waking);
  start = PMPI_Wtime();
  for (int i = 0; i < runs; ++i) workload.run(direction, way);
  return (PMPI_Wtime() - start) / runs;
}

Times measure(Workload& workload, Direction direction, double budget) {
  constexpr double sample_seconds = 200e-6;
  constexpr std::size_t min_samples = 5, max_samples = 200;
  constexpr std::array ways{Way::native, Way::alone, Way::team};
  std::array<std::vector<double>, ways.size()> samples;
  const double start = PMPI_Wtime();
  const double once = sample(workload, direction, Way::alone, 1);
  const int runs = std::max(1, static_cast<int>(sample_seconds / once));
  while (samples.front().size() < min_samples ||
         (samples.front().size() < max_samples && PMPI_Wtime() - start < budget))
    for (std::size_t i = 0; i < ways.size(); ++i)
      samples[i].push_back(sample(workload, direction, ways[i], runs));
  return {quantiles(samples[0]), quantiles(samples[1]), quantiles(samples[2])};
}

std::vector<Point> measure_all(const Settings& settings, helper::team::Member& primary) {
  std::vector<TypeFamily> families;
  for (const TypeFamily& family : type_families())
    if (settings.types.empty() || std::ranges::count(settings.types, family.name)) families.push_back(family);
  const double budget = settings.budget / static_cast<double>(2 * families.size() * settings.sizes.size());
  std::vector<Point> points;
  print_header();
  for (const TypeFamily& family : families) {
    for (const std::size_t bytes : settings.sizes) {
      Workload workload(family, bytes, primary);
      for (const Way way : {Way::alone, Way::team})
        if (!workload.is_right(way)) throw std::runtime_error(fmt::format("{}: wrong bytes", family.name));
      points.push_back({family.name, bytes, workload.bytes(), measure(workload, Direction::pack, budget),
                        measure(workload, Direction::unpack, budget)});
      print(points.back());
    }
  }
  return points;
}

void run(const Settings& settings) {
  helper::team::Team team(0, 2, {});
  helper::team::Member& primary = team.add();
  bind_to_core(0);
  const helper::team::HelperThreads helper(team, 1, [](int) { bind_to_core(1); });
  const auto points = measure_all(settings, primary);
  if (!settings.json.empty()) write_json(points, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Packing and unpacking alone: native MPI against the library with one thread and with a team of "
      "two.\nTo be run by itself, without mpiexec, on an idle machine with at least two cores.",
      "pack"};
  Settings settings;
  add_options(app, settings);
  return run_program(app, argc, argv, [&] {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    run(settings);
    MPI_Finalize();
  });
}
