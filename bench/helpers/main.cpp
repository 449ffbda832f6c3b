// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "measure.hpp"
#include "slow_core.hpp"

#include <cstdlib>

namespace {

using namespace bench;

const std::map<std::string, std::vector<Task> (*)(std::size_t bytes)> others{
    {"graph", allreduce_of_ints},
    {"messages", messages},
    {"packing", packing_in_fixed_time},
    {"groups", group_operations}};

struct Settings {
  Setting setting{.teams = {1, 2}};
  std::string what = "helpers";
  std::vector<std::string> functions{"MPI_Pack",      "MPI_Unpack", "MPI_Reduce_local",
                                     "MPI_Allreduce", "MPI_Bcast",  "sums"};
  std::vector<std::size_t> sizes{MiB, 16 * MiB};
  std::vector<std::size_t> sizes_of_sums{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18,
                                         1 << 20, 1 << 22, 1 << 24, 1 << 26};
  double budget = 60; ///< seconds for all
};

constexpr auto description =
    R"(A team of 1, 2, 4 ... threads in packing, reductions, broadcasts, and sums over threads and ranks.

Times are per call, of the slowest rank: medians of samples that are taken of all ways alternately. Every result is
checked before it is timed. Run it with mpiexec.)";

void add_options(Program& program, Settings& settings) {
  Setting& setting = settings.setting;
  program.add_teams(setting.teams);
  program.add_choice(
      "--what", settings.what,
      "helpers; graph: MPI_Allreduce of ints; messages between two ranks; packing: such messages "
      "whose bytes take a fixed time; or groups: operations on groups of all ranks",
      std::vector<std::string>{"helpers", "graph", "messages", "packing", "groups"});
  program.add("--placements", setting.placements, "How to pin a team: none, compact, scatter, numa");
  program.add_choice("--functions", settings.functions, "Functions", std::vector(settings.functions));
  program.add_bytes("--sizes", settings.sizes, "Bytes to pack, reduce, or broadcast", KiB);
  program.add_bytes("--sums", settings.sizes_of_sums, "Bytes of sums over all threads, and of MPI_Allreduce");
  program.add_flag("--alone", setting.alone, "Only rank 0 works. The other ranks wait for it");
  program.add_range("--slower", setting.slower,
                    "Emulate a core for each thread. It is N times slower than a core of this machine", 1,
                    1000);
  program.callback([&slower = setting.slower] {
    if (slower > 1 && !SlowCore::works())
      throw CLI::Error("--slower", "this build cannot emulate cores", 77); // skips a test
  });
  program.add_budget(settings.budget);
}

void run(Settings settings, Lines& lines) {
  Setting& setting = settings.setting;
  const bool collective = rank_count() > 1 && !setting.alone;
  const bool of_helpers = settings.what == "helpers";
  setting.chunks_only = !of_helpers; // some of these wait by polling MPI
  std::vector<Task> planned;
  for (const std::size_t bytes : settings.sizes)
    for (Task& task : of_helpers ? tasks(bytes, collective) : others.at(settings.what)(bytes))
      planned.push_back(std::move(task));
  std::ranges::stable_sort(planned, {}, [](const Task& task) { return std::pair(task.function, task.data); });
  if (!of_helpers) settings.sizes_of_sums.clear();
  for (const std::size_t bytes : settings.sizes_of_sums)
    if (collective && !std::ranges::count(settings.sizes, bytes))
      planned.push_back(allreduce_of_doubles(bytes));
  const auto wanted = [&](const std::string& function) {
    return std::ranges::count(settings.functions, function) != 0;
  };
  std::erase_if(planned, [&](const Task& task) { return of_helpers && !wanted(task.function); });
  // For hand-written sums all ranks have data and poll MPI while they wait.
  if (setting.alone || setting.slower > 1 || !wanted("sums")) settings.sizes_of_sums.clear();
  const double budget =
      settings.budget / static_cast<double>(planned.size() + 3 * settings.sizes_of_sums.size());

  for (const Task& task : planned) measure(task, setting, budget, lines);
  for (const std::size_t bytes : settings.sizes_of_sums) measure_summation(bytes, setting, 3 * budget, lines);
}

} // namespace

int main(int argc, char** argv) {
  setenv("MPI_HELPER_USER_OPERATIONS", "team", 1); // operations that PMPI creates are not affected
  Settings settings;
  Program program("helpers", description);
  add_options(program, settings);
  return program.run_ranks(argc, argv, [&](int, Lines& lines) { run(settings, lines); });
}
