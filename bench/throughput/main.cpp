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

/// The results of a run. The first variant is native MPI.
struct Report {
  Settings settings;
  Machine machine;
  std::vector<Variant> variants;
  Json lines = Json::array();
};

/// Returns a line for each way to perform an operation.
Json lines_of(const Report& report, const Operation& operation, std::size_t bytes,
              const std::vector<Samples>& samples) {
  Json lines = Json::array();
  const double native = median(samples[0]);
  for (std::size_t i = 0; i < report.variants.size(); ++i) {
    const Variant& variant = report.variants[i];
    const Quantiles seconds = quantiles(samples[i]);
    lines.push_back({{"operation", operation.name},
                     {"ranks", report.machine.ranks},
                     {"bytes", bytes},
                     {"way", variant.name},
                     {"team_size", variant.team}, // 0: native
                     {"seconds", seconds},
                     {"bytes_per_second", static_cast<double>(bytes) / seconds.median},
                     {"speedup", native / seconds.median}});
    if (Json model = modelled(operation, bytes, variant.native(), report.machine); !model.is_null())
      lines.back()["modelled"] = std::move(model);
  }
  return lines;
}

void print_head(const Report& report, const std::string& title) {
  fmt::print("\n{}, {} ranks\n\n{:>8}", title, report.machine.ranks, "");
  for (const Variant& variant : report.variants) fmt::print(" | {:^38}", variant.name);
  fmt::print("\n{:>8}", "size");
  for (std::size_t i = 0; i < report.variants.size(); ++i)
    fmt::print(" | {:>9} {:>15} {:>6} ratio", "us", "p10-p90", "GB/s");
  fmt::print("\n");
}

void print(const Json& lines) {
  fmt::print("{:>8}", size_name(lines[0]["bytes"]));
  for (const Json& variant : lines) {
    const Json& seconds = variant["seconds"];
    const auto us = [&](const char* which) { return digits(seconds[which].get<double>() * 1e6); };
    fmt::print(" | {:>9} {:>15} {:>6} {:5.2f}", us("median"), us("p10") + "-" + us("p90"),
               digits(variant["bytes_per_second"].get<double>() / 1e9), variant["speedup"].get<double>());
    if (variant.contains("modelled")) fmt::print(" {}", variant["modelled"]["algorithm"].get<std::string>());
  }
  fmt::print("\n");
}

/// Measures everything. Rank 0, for which `reporting` is true, prints each operation when it is done.
void measure_all(Report& report, Stage& stage, bool reporting) {
  const Settings& settings = report.settings;
  std::vector<std::size_t> sizes = settings.sizes;
  for (auto bytes = std::bit_ceil(settings.min_bytes); settings.sizes.empty() && bytes <= settings.max_bytes;
       bytes *= 2)
    sizes.push_back(bytes);
  auto remaining = sizes.size() * settings.operations.size();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.budget);
  Progress progress(remaining, settings.progress == "terminal", reporting);
  for (const std::string& name : settings.operations) {
    const Operation& operation = operation_named(name);
    std::vector<Json> points;
    std::string title;
    for (const std::size_t bytes : sizes) {
      Workload workload(operation, bytes, settings.memory == "alloc_mem");
      title = workload.name();
      progress.begin(title + ": " + size_name(bytes));
      // Small messages seldom need their share of the time. Large messages get the rest.
      const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
      const auto samples =
          measure({workload, title, static_cast<int>(&operation - operations().data()), bytes}, stage,
                  report.variants, left / static_cast<double>(remaining--));
      points.push_back(lines_of(report, operation, bytes, samples));
    }
    progress.clear();
    if (!reporting) continue;
    print_head(report, title);
    for (const Json& lines : points) {
      print(lines);
      report.lines.insert(report.lines.end(), lines.begin(), lines.end());
    }
    std::fflush(stdout);
  }
}

void run(const Settings& settings, bool reporting) {
  Report report{settings, find_machine()};
  const Machine& machine = report.machine;
  if (report.settings.teams.empty()) report.settings.teams = default_teams(machine);
  // Jobs of other MPIs start only on this node, so they are compared only if all ranks are on it.
  std::vector<Peer> peers;
  if (reporting && machine.ranks == machine.ranks_per_node)
    peers = start_peers(OPEN_MPI_WORKER, settings.peers, {settings.memory}, machine.ranks);
  report.variants = native_variants("native", peers);
  for (const int team : report.settings.teams) {
    const bool oversubscribed = team * machine.ranks_per_node > machine.processing_units;
    const auto name = fmt::format("team of {}{}", team, oversubscribed ? " (oversubscribed)" : "");
    report.variants.push_back({name, team, oversubscribed});
  }
  if (reporting)
    fmt::print("{} ranks, {} cores per node ({}, {}), {}{}\n"
               "Time per call: median and 10th-90th percentile of samples; ratio: native time / team time\n",
               machine.ranks, machine.processing_units, machine.host, machine.processor, machine.mpi,
               versions(peers));
  Crew crew(report.settings.teams);
  // If ranks are oversubscribed, a sample must last several time slices of the system.
  const bool oversubscribed = machine.ranks_per_node > machine.processing_units;
  Stage stage{crew, peers, oversubscribed ? 20e-3 : 100e-6, 4096, oversubscribed};
  crew.run([&] { measure_all(report, stage, reporting); });
  if (reporting) write_json(report.lines, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("throughput", description, settings.json);
  add_options(program, settings);
  return program.run_ranks(argc, argv, [&](int rank) { run(settings, rank == 0); });
}
