// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Measures the fastest algorithm for each operation and size on a node, or the costs of messages between
// nodes. Writes the file that MPI_HELPER_TUNE names.

#include "common/crew.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"
#include "common/text.hpp"
#include "network.hpp"
#include "throughput/machine.hpp"

#include "ranks/nodes.hpp"
#include "shm/node_context.hpp"
#include "shm/peer_memory.hpp"

#include <fmt/format.h>
#include <fmt/os.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace bench;
using helper::collective::Algorithm;
using Library = helper::collective::Operation;
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

/// Makes select() choose `algorithm` wherever it can be used.
void choose(Library operation, Algorithm algorithm) {
  helper::collective::Overrides overrides{};
  overrides[static_cast<std::size_t>(operation)] = algorithm;
  helper::collective::set_overrides(overrides);
}

/// Returns the algorithms that can perform the operation in this situation, each once.
std::vector<Algorithm> candidates(Library operation, const helper::collective::Situation& situation) {
  std::vector<Algorithm> usable{Algorithm::native};
  for (const Row& row : helper::collective::built_in_rows(operation)) {
    choose(operation, row.algorithm);
    if (helper::collective::select(operation, situation) == row.algorithm &&
        std::ranges::count(usable, row.algorithm) == 0)
      usable.push_back(row.algorithm);
  }
  return usable;
}

/// The operations whose algorithm depends on the size of the data.
constexpr std::array tuned{Operation::barrier,   Operation::bcast,          Operation::allreduce,
                           Operation::reduce,    Operation::reduce_scatter, Operation::reduce_scatter_block,
                           Operation::scan,      Operation::exscan,         Operation::gather,
                           Operation::scatter,   Operation::alltoall,       Operation::allgather,
                           Operation::allgatherv};

class Tuning {
public:
  Tuning(const Settings& settings, Crew& crew, const Ranks& ranks)
      : settings_(settings), crew_(crew), ranks_(ranks) {}

  /// Returns the rows for an operation, which all ranks measure. Rank 0 prints the measurements.
  std::vector<Row> tune(Operation operation) const {
    std::vector<Row> rows;
    const Library called = in_library(operation);
    for (std::size_t bytes = 64; bytes <= (operation == Operation::barrier ? 64 : settings_.max_bytes);
         bytes *= 4) {
      const Algorithm best = fastest(operation, bytes);
      if (!rows.empty() && rows.back().algorithm == best) rows.pop_back();
      rows.push_back({called, best, bytes * 2, ranks_.size}); // half way to the next size
    }
    rows.back().most_bytes = helper::collective::any_size;
    // A single rank, and more ranks than were measured, use the rows of the built-in table.
    for (const Row& row : helper::collective::built_in_rows(called))
      rows.insert(row.most_ranks == 1 ? rows.begin() : rows.end(), row);
    return rows;
  }

private:
  /// Returns the median of a call at the slowest rank, in microseconds.
  double microseconds(Workload& workload, int calls) const {
    double seconds = 0;
    crew_.phase(settings_.team, [&] {
      PMPI_Barrier(MPI_COMM_WORLD);
      seconds = workload.seconds(false, calls);
    });
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds / calls * 1e6;
  }

  Algorithm fastest(Operation operation, std::size_t bytes) const {
    const Library called = in_library(operation);
    const auto algorithms =
        candidates(called, {bytes, ranks_.size, ranks_.share_memory, false, ranks_.can_copy});
    const int calls = static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 20) / (bytes + 1), 2, 200));
    Workload workload(operation, bytes, Memory::malloc);
    std::vector<double> medians;
    const auto repetitions = static_cast<std::size_t>(settings_.repetitions);
    for (const Samples& samples : take_alternately(
             algorithms.size(), repetitions, repetitions,
             [&](std::size_t i) {
               choose(called, algorithms[i]);
               return microseconds(workload, calls);
             },
             [] { return false; }))
      medians.push_back(quantiles(samples).median);
    const auto best = static_cast<std::size_t>(std::ranges::min_element(medians) - medians.begin());
    if (ranks_.rank == 0) {
      fmt::print("{:22} {:>8} ", name(called), size_name(bytes));
      for (std::size_t i = 0; i < algorithms.size(); ++i)
        fmt::print(" {:>14}{} {:>7} us", name(algorithms[i]), i == best ? '*' : ' ', digits(medians[i]));
      fmt::print("\n");
      std::fflush(stdout); // mpiexec makes standard output a pipe, which stdio buffers
    }
    return algorithms[best];
  }

  const Settings& settings_;
  Crew& crew_;
  const Ranks ranks_;
};

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

/// Measures the costs of a network. They replace measurements of each algorithm at each number of nodes.
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
    for (const Operation operation : tuned) {
      const auto more = tuning.tune(operation);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  });
  if (ranks.rank != 0) return;
  write(rows, settings, ranks);
  fmt::print("Written: {}. To use it: mpiexec -genv MPI_HELPER_TUNE {} ...\n", settings.file, settings.file);
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program(
      "tune",
      "Measures, for each collective operation and size, which algorithm of the library is the fastest\n"
      "on this machine, or native MPI, and writes that to a file for MPI_HELPER_TUNE. On several nodes\n"
      "it measures what messages cost: the library selects by that.\n"
      "Launch it like the programs that will use the file, on idle nodes: mpiexec -n 4 tune --team 8 FILE");
  program.add_option("file", settings.file, "The file to write")->required();
  program.add_bytes("--max", settings.max_bytes, "Largest message", 64);
  program.add_range("--team", settings.team, "Members of each rank's team", 1, 1024);
  program.add_repetitions(settings.repetitions);
  return program.run_ranks(argc, argv, [&](int rank) {
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
