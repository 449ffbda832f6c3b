// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Measures which algorithm is the fastest for each operation and size on a node, or what messages between
// nodes cost, here and now, and writes the file that MPI_HELPER_TUNE names.

#include "common/crew.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"
#include "common/text.hpp"
#include "network.hpp"
#include "operations.hpp"

#include "ranks/nodes.hpp"
#include "shm/node_context.hpp"
#include "shm/peer_memory.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/os.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace bench;
using helper::collective::Algorithm;
using helper::collective::Operation;
using helper::collective::Row;

struct Settings {
  std::size_t max_bytes = std::size_t{16} << 20;
  int team = 1;
  int repetitions = 15;
  std::string file;
};

struct Ranks {
  int size = 1;
  int rank = 0;
  bool share_memory = false;
  bool can_copy = false;
};

/// Has select() choose `algorithm` wherever it can be used.
void choose(Operation operation, Algorithm algorithm) {
  helper::collective::Overrides overrides{};
  overrides[static_cast<std::size_t>(operation)] = algorithm;
  helper::collective::set_overrides(overrides);
}

/// Those that can carry the operation in the situation, each once.
std::vector<Algorithm> candidates(Operation operation, const helper::collective::Situation& situation) {
  std::vector<Algorithm> usable{Algorithm::native};
  for (const Row& row : helper::collective::built_in_rows(operation)) {
    choose(operation, row.algorithm);
    if (helper::collective::select(operation, situation) == row.algorithm &&
        std::ranges::count(usable, row.algorithm) == 0)
      usable.push_back(row.algorithm);
  }
  return usable;
}

class Tuning {
public:
  Tuning(const Settings& settings, Crew& crew, const Ranks& ranks)
      : settings_(settings), crew_(crew), ranks_(ranks),
        send_(settings.max_bytes / sizeof(double) * static_cast<std::size_t>(ranks.size)),
        receive_(send_.size()) {}

  /// The rows for an operation, which all ranks measure. The first rank shows what they are based on.
  std::vector<Row> tune(const Tunable& tunable);

private:
  double microseconds(const Tunable& tunable, std::size_t bytes, int calls);
  Algorithm fastest(const Tunable& tunable, std::size_t bytes);

  const Settings& settings_;
  Crew& crew_;
  const Ranks ranks_;
  std::vector<double> send_, receive_;
};

/// A call's at the slowest rank. Before every call each rank writes to its data, untimed.
double Tuning::microseconds(const Tunable& tunable, std::size_t bytes, int calls) {
  const std::size_t count = bytes / sizeof(double);
  constexpr std::size_t line = 64 / sizeof(double);
  double seconds = 0;
  crew_.phase(settings_.team, [&] {
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int call = 0; call < calls; ++call) {
      for (std::size_t i = 0; i < count; i += line) send_[i] = call;
      const double begun = PMPI_Wtime();
      tunable.call(send_.data(), receive_.data(), static_cast<int>(count), ranks_.size, call % ranks_.size);
      seconds += PMPI_Wtime() - begun;
    }
  });
  PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds / calls * 1e6;
}

Algorithm Tuning::fastest(const Tunable& tunable, std::size_t bytes) {
  const auto algorithms =
      candidates(tunable.operation, {bytes, ranks_.size, ranks_.share_memory, false, ranks_.can_copy});
  const int calls = static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 20) / (bytes + 1), 2, 200));
  std::vector<std::vector<double>> samples(algorithms.size());
  for (int repetition = 0; repetition < settings_.repetitions; ++repetition) {
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      choose(tunable.operation, algorithms[i]);
      samples[i].push_back(microseconds(tunable, bytes, calls));
    }
  }
  std::vector<double> medians;
  for (auto& of_algorithm : samples) medians.push_back(quantiles(std::move(of_algorithm)).median);
  const auto best = static_cast<std::size_t>(std::ranges::min_element(medians) - medians.begin());
  if (ranks_.rank == 0) {
    fmt::print("{:22} {:>8} ", name(tunable.operation), size_name(bytes));
    for (std::size_t i = 0; i < algorithms.size(); ++i)
      fmt::print(" {:>14}{} {:>7} us", name(algorithms[i]), i == best ? '*' : ' ', digits(medians[i]));
    fmt::print("\n");
    std::fflush(stdout); // which is no terminal under mpiexec
  }
  return algorithms[best];
}

std::vector<Row> Tuning::tune(const Tunable& tunable) {
  std::vector<Row> rows;
  const bool has_size = tunable.operation != Operation::barrier;
  for (std::size_t bytes = 64; bytes <= (has_size ? settings_.max_bytes : 64); bytes *= 4) {
    const Algorithm best = fastest(tunable, bytes);
    if (!rows.empty() && rows.back().algorithm == best) rows.pop_back();
    rows.push_back({tunable.operation, best, bytes * 2, ranks_.size}); // half way to the next size
  }
  rows.back().most_bytes = helper::collective::any_size;
  // A rank by itself, and more ranks than were measured, go by the built-in table.
  for (const Row& row : helper::collective::built_in_rows(tunable.operation))
    rows.insert(row.most_ranks == 1 ? rows.begin() : rows.end(), row);
  return rows;
}

std::string limit_text(auto value, auto any) {
  return value == any ? "any" : fmt::format("{}", value);
}

void write(const std::vector<Row>& rows, const Settings& settings, const Ranks& ranks) {
  auto file = fmt::output_file(settings.file);
  file.print(
      "# For MPI_HELPER_TUNE: which algorithm carries an operation. Measured with {} ranks{}, teams of {}.\n"
      "{:20}  {:13}  {:>12}  {:>10}\n",
      ranks.size, ranks.share_memory ? " on one node" : "", settings.team, "# operation", "algorithm",
      "most bytes", "most ranks");
  for (const Row& row : rows) {
    file.print("{:20}  {:13}  {:>12}  {:>10}\n", name(row.operation), name(row.algorithm),
               limit_text(row.most_bytes, helper::collective::any_size),
               limit_text(row.most_ranks, helper::collective::any_ranks));
  }
}

/// The costs of several nodes, which stand in for measurements of each algorithm at each number of nodes.
void tune_network(const Settings& settings, const helper::ranks::Nodes& nodes, int rank) {
  helper::collective::NetworkCosts costs = measure_network(nodes, settings.repetitions);
  costs.team = settings.team;
  if (rank != 0) return;
  auto file = fmt::output_file(settings.file);
  file.print(
      "# For MPI_HELPER_TUNE: what messages cost, in seconds, and how many threads reduce. Measured while "
      "{} nodes exchange two by two\n",
      nodes.count());
  for (const auto& [name, cost] : helper::collective::named_costs()) {
    file.print("cost  {:13}  {:.4g}\n", name, costs.*cost);
    fmt::print("{:13}  {:.4g}\n", name, costs.*cost);
  }
  fmt::print(
      "Written: {}. By these costs the library chooses among nodes; which algorithms are the fastest within "
      "a node\nis found out by ranks of one node alone, and may be written behind them into the same file.\n",
      settings.file);
}

void run(const Settings& settings, const Ranks& ranks) {
  Crew crew({settings.team});
  Tuning tuning(settings, crew, ranks);
  std::vector<Row> rows;
  crew.run([&] {
    for (const Tunable& tunable : tunables()) {
      const auto more = tuning.tune(tunable);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  });
  if (ranks.rank != 0) return;
  write(rows, settings, ranks);
  fmt::print("Written: {}. To use it: mpiexec -genv MPI_HELPER_TUNE {} ...\n", settings.file, settings.file);
}

void add_options(CLI::App& app, Settings& settings) {
  app.add_option("file", settings.file, "The file to write")->required();
  app.add_option("--max", settings.max_bytes, "Largest message; default: 16MiB")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::size_t{64}, std::size_t{1} << 30));
  app.add_option("--team", settings.team, "Members of each rank's team; default: 1")
      ->check(CLI::Range(1, 1024));
  app.add_option("--repetitions", settings.repetitions, "Samples of each algorithm and size; default: 15")
      ->check(CLI::Range(1, 1000));
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Measures, for each collective operation and size, which of the library's algorithms is the fastest\n"
      "on this machine, native MPI's included, and writes that to a file for MPI_HELPER_TUNE. On several "
      "nodes\n"
      "it measures what messages cost, by which the library decides there.\n"
      "To be launched like the programs that will use it, on idle nodes: mpiexec -n 4 tune --team 8 FILE",
      "tune");
  Settings settings;
  add_options(app, settings);
  return run_ranks(app, argc, argv, [&](int rank) {
    Ranks ranks;
    ranks.rank = rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
    ranks.share_memory = helper::shm::arena().parts() == ranks.size;
    ranks.can_copy = ranks.share_memory && helper::shm::peer_memory::can_copy();
    std::vector<int> all(static_cast<std::size_t>(ranks.size));
    std::iota(all.begin(), all.end(), 0);
    const auto nodes = helper::ranks::Nodes::of(all, rank);
    if (nodes.count() > 1) return tune_network(settings, nodes, rank);
    run(settings, ranks);
  });
}
