// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/compare.hpp"
#include "machine.hpp"

#include <bit>

namespace {

using namespace bench;

constexpr auto description =
    R"(Throughput of collective operations: native MPI against helper teams of several sizes.

Every message size is measured with native MPI and with each team alternately, so that a disturbance of the machine
affects all of them. A sample times as many calls as take at least 100 us on the slowest rank, or 20 ms if there are more
ranks than cores, which then sleep between samples. The table has the median, the 10th and the 90th percentile of the
samples, the bandwidth (bytes of the message over the median), and the time of native MPI divided by the time of a team.
The results of every variant are checked before it is timed.

Run it with mpiexec: mpiexec -n 2 throughput --max 1MiB)";

struct Settings {
  std::vector<std::string> operations{"allreduce", "bcast", "bcast-vector"};
  std::vector<std::size_t> sizes; ///< empty: the powers of two from min_bytes to max_bytes
  std::size_t min_bytes = sizeof(double), max_bytes = 64 * MiB;
  std::vector<int> teams;         ///< empty: chosen to fit the machine
  std::vector<std::string> peers; ///< launchers of other MPIs
  std::string memory = "malloc";
  double budget = 60; ///< seconds for all measurements together
  std::string progress = Progress::is_terminal() ? "terminal" : "lines";
  std::string json; ///< empty: no file
};

void add_options(Program& program, Settings& settings) {
  std::vector<std::string> names;
  for (const Operation& operation : operations()) names.emplace_back(operation.name);
  program.add_choice("--operations", settings.operations, fmt::format("Which of {}", fmt::join(names, ", ")),
                     names);
  program.add_bytes("--sizes", settings.sizes, "Sizes of messages, in place of --min and --max");
  program.add_bytes("--min", settings.min_bytes, "Smallest message");
  program.add_bytes("--max", settings.max_bytes, "Largest message. Sizes are powers of two");
  program.add_range("--teams", settings.teams,
                    "Sizes of teams; default: 1, 2, 4 ... up to the cores of a rank, at least up to 2", 1,
                    1024);
  program.add_choice("--memory", settings.memory, "Memory of buffers: malloc, or alloc_mem (MPI_Alloc_mem)",
                     std::vector<std::string>{"malloc", "alloc_mem"});
  program.add_budget(settings.budget);
  add_peers(program, settings.peers);
  program
      .add_choice("--progress", settings.progress,
                  "terminal (a line that is overwritten; mpiexec hides it) or lines",
                  std::vector<std::string>{"terminal", "lines"})
      ->take_last();
  program.callback([&settings] {
    if (std::bit_ceil(settings.min_bytes) > settings.max_bytes)
      throw CLI::ValidationError("--min", "no power of two lies between this and --max");
  });
}

/// Returns 1, 2, 4, … up to the cores of a rank, and that number itself. At least 1 and 2.
std::vector<int> default_teams(const Machine& machine) {
  const int largest = std::max(2, machine.processing_units / machine.ranks_per_node);
  std::vector<int> teams;
  for (int size = 1; size < largest; size *= 2) teams.push_back(size);
  teams.push_back(largest);
  return teams;
}

void print_head(const std::vector<Variant>& variants, const std::string& title, int ranks) {
  fmt::print("\n{}, {} ranks\n\n{:>8}", title, ranks, "");
  for (const Variant& variant : variants) fmt::print(" | {:^38}", variant.name);
  fmt::print("\n{:>8}", "size");
  for (std::size_t i = 0; i < variants.size(); ++i)
    fmt::print(" | {:>9} {:>15} {:>6} ratio", "us", "p10-p90", "GB/s");
  fmt::print("\n");
}

void print(const Json& lines) {
  fmt::print("{:>8}", size_name(lines[0]["bytes"]));
  for (const Json& variant : lines) {
    const Json& seconds = variant["seconds"];
    const auto us = [&](const char* which) { return digits(seconds[which].get<double>() * 1e6); };
    fmt::print(" | {:>9} {:>15} {:>6} {:5.2f}", us("median"), us("p10") + "-" + us("p90"),
               digits(variant["GB/s"].get<double>()), variant["speedup"].get<double>());
    if (variant.contains("modelled")) fmt::print(" {}", variant["modelled"]["algorithm"].get<std::string>());
  }
  fmt::print("\n");
}

/// Measures everything, and returns all lines. Rank 0, for which `reporting` is true, prints each operation
/// when it is done.
Json measure_all(const Settings& settings, const Machine& machine, Stage& stage, bool reporting) {
  std::vector<std::size_t> sizes = settings.sizes;
  for (auto bytes = std::bit_ceil(settings.min_bytes); settings.sizes.empty() && bytes <= settings.max_bytes;
       bytes *= 2)
    sizes.push_back(bytes);
  Progress progress(sizes.size() * settings.operations.size(), settings.budget,
                    settings.progress == "terminal", reporting);
  Json all = Json::array();
  for (const std::string& name : settings.operations) {
    const Operation& operation = operation_named(name);
    const auto index = static_cast<int>(&operation - operations().data());
    std::vector<Json> points;
    std::string title;
    for (const std::size_t bytes : sizes) {
      Workload workload(operation, bytes, settings.memory == "alloc_mem");
      title = workload.name();
      const auto time = progress.begin(title + ": " + size_name(bytes));
      Json& lines = points.emplace_back(compare({workload, name, index, bytes}, stage, time));
      for (Json& line : lines) {
        line["ranks"] = machine.ranks;
        if (Json model = modelled(operation, bytes, line["team_size"] == 0, machine); !model.is_null())
          line["modelled"] = std::move(model);
        all.push_back(line);
      }
    }
    progress.clear();
    if (!reporting) continue;
    print_head(stage.variants, title, machine.ranks);
    for (const Json& lines : points) print(lines);
    std::fflush(stdout);
  }
  return all;
}

void run(Settings settings, bool reporting) {
  const Machine machine = find_machine();
  if (settings.teams.empty()) settings.teams = default_teams(machine);
  // Jobs of other MPIs start only on this node, so they are compared only if all ranks are on it.
  std::vector<Peer> peers;
  if (reporting && machine.ranks == machine.ranks_per_node)
    peers = start_peers(OPEN_MPI_WORKER, settings.peers, {settings.memory}, machine.ranks);
  std::vector<Variant> variants = native_variants("native", peers);
  for (const int team : settings.teams) {
    const bool oversubscribed = team * machine.ranks_per_node > machine.processing_units;
    const auto name = fmt::format("team of {}{}", team, oversubscribed ? " (oversubscribed)" : "");
    variants.push_back({name, team});
  }
  if (reporting)
    fmt::print("{} ranks, {} cores per node ({}, {}), {}{}\n"
               "Time per call: median and 10th-90th percentile of samples; ratio: native time / team time\n",
               machine.ranks, machine.processing_units, machine.host, machine.processor, machine.mpi,
               versions(peers));
  Crew crew(settings.teams);
  // If ranks are oversubscribed, a sample must last several time slices of the system.
  const bool oversubscribed = machine.ranks_per_node > machine.processing_units;
  Stage stage{crew, peers, variants, oversubscribed ? 20e-3 : 100e-6, 4096, oversubscribed};
  crew.run([&] {
    const Json lines = measure_all(settings, machine, stage, reporting);
    if (reporting) write_json(lines, settings.json);
  });
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("throughput", description, settings.json);
  add_options(program, settings);
  return program.run_ranks(argc, argv, [&](int rank) { run(settings, rank == 0); });
}
