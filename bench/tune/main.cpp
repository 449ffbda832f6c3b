// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Measures the fastest algorithm for each operation and size on a node, or the costs of messages between
// nodes. Writes the file that MPI_HELPER_TUNE names.

#include "common/bench.hpp"
#include "common/crew.hpp"
#include "common/ranks.hpp"
#include "throughput/machine.hpp"

#include "collective/selection.hpp"
#include "ranks/nodes.hpp"
#include "reduction/reducer.hpp"
#include "shm/node_context.hpp"
#include "shm/peer_memory.hpp"

#include <fmt/os.h>

namespace {

using namespace bench;
using helper::collective::Algorithm;
using Library = helper::collective::Operation;
using helper::collective::Row;

struct Settings {
  std::size_t max_bytes = 16 * MiB;
  int team = 1;
  int repetitions = 15;
  std::string file;
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
constexpr std::array tuned{"barrier",        "bcast",     "allreduce", "reduce", "reduce-scatter-counts",
                           "reduce-scatter", "scan",      "exscan",    "gather", "scatter",
                           "alltoall",       "allgather", "allgatherv"};

bool ranks_share_memory() {
  return helper::shm::arena().parts() == rank_count();
}

/// Rank 0 prints the measurements.
Algorithm fastest(const Operation& operation, std::size_t bytes, const Settings& settings, Crew& crew) {
  const Library called = in_library(operation);
  const bool share_memory = ranks_share_memory();
  const bool can_copy = share_memory && helper::shm::peer_memory::can_copy();
  const auto algorithms = candidates(called, {bytes, rank_count(), share_memory, false, can_copy});
  const int calls = static_cast<int>(std::clamp<std::size_t>(MiB / (bytes + 1), 2, 200));
  Workload workload(operation, bytes);
  const auto samples = take_warm(algorithms.size(), settings.repetitions, [&](std::size_t i) {
    choose(called, algorithms[i]);
    const double seconds = crew.phase(settings.team, [&] {
      PMPI_Barrier(MPI_COMM_WORLD);
      return workload.seconds(false, calls);
    });
    return of_all_ranks(seconds) / calls * 1e6;
  });
  const std::vector<Quantiles> times = quantiles(samples);
  const auto least = std::ranges::min_element(times, {}, &Quantiles::median);
  const auto best = static_cast<std::size_t>(least - times.begin());
  if (own_rank() == 0) {
    fmt::print("{:22} {:>8} ", name(called), size_name(bytes));
    for (std::size_t i = 0; i < algorithms.size(); ++i)
      fmt::print(" {:>14}{} {:>7} us", name(algorithms[i]), i == best ? '*' : ' ', digits(times[i].median));
    fmt::print("\n");
    std::fflush(stdout); // mpiexec makes standard output a pipe, which stdio buffers
  }
  return algorithms[best];
}

/// Returns the rows for an operation, which all ranks measure.
std::vector<Row> tune(const Operation& operation, const Settings& settings, Crew& crew) {
  std::vector<Row> rows;
  const Library called = in_library(operation);
  const std::size_t most = operation.received == Operation::Data::none ? 64 : settings.max_bytes;
  for (std::size_t bytes = 64; bytes <= most; bytes *= 4) {
    const Algorithm best = fastest(operation, bytes, settings, crew);
    if (!rows.empty() && rows.back().algorithm == best) rows.pop_back();
    rows.push_back({called, best, bytes * 2, rank_count()}); // half way to the next size
  }
  rows.back().most_bytes = helper::collective::any_size;
  // A single rank, and more ranks than were measured, use the rows of the built-in table.
  for (const Row& row : helper::collective::built_in_rows(called))
    rows.insert(row.most_ranks == 1 ? rows.begin() : rows.end(), row);
  return rows;
}

std::string limit_text(auto value, auto any) {
  return value == any ? "any" : fmt::format("{}", value);
}

void write(const std::vector<Row>& rows, const Settings& settings) {
  auto file = fmt::output_file(settings.file);
  file.print(
      "# For MPI_HELPER_TUNE: which algorithm carries an operation. Measured with {} ranks{}, teams of {}.\n"
      "{:20}  {:13}  {:>12}  {:>10}\n",
      rank_count(), ranks_share_memory() ? " on one node" : "", settings.team, "# operation", "algorithm",
      "most bytes", "most ranks");
  for (const Row& row : rows) {
    file.print("{:20}  {:13}  {:>12}  {:>10}\n", name(row.operation), name(row.algorithm),
               limit_text(row.most_bytes, helper::collective::any_size),
               limit_text(row.most_ranks, helper::collective::any_ranks));
  }
}

using helper::collective::NetworkCosts;

/// Pairs of ranks that exchange at the same time, from the view of this rank.
struct Pairs {
  void add(int first, int second) {
    if (own_rank() == first) peer = second, is_first = true;
    if (own_rank() == second) peer = first;
  }

  int peer = MPI_PROC_NULL; // of this rank, if it has one
  bool is_first = false;
};

/// Returns up to `most` pairs between each two consecutive nodes. In a collective operation all nodes
/// communicate at once and share the network, or the processors if one machine emulates several hosts.
Pairs between_nodes(const helper::ranks::Nodes& nodes, std::size_t most) {
  Pairs pairs;
  for (std::size_t node = 0; node + 1 < nodes.count(); node += 2) {
    const std::vector<int> first = nodes.ranks(node), second = nodes.ranks(node + 1);
    for (std::size_t pair = 0; pair < std::min({most, first.size(), second.size()}); ++pair)
      pairs.add(first[pair], second[pair]);
  }
  return pairs;
}

/// Returns the median of the seconds that `run` takes at the slowest rank. The first repetition makes
/// connections.
template <class Run>
double seconds(int repetitions, const Run& run) {
  return median(take_warm(1, repetitions, [&](std::size_t) { return time_of(run) / 1e6; })[0]);
}

double half_round_trip(const Pairs& pairs, int repetitions) {
  constexpr int trips = 50;
  double word = 0;
  const auto trip = [&] {
    for (int i = 0; i < trips; ++i) {
      if (pairs.is_first) PMPI_Send(&word, 1, MPI_DOUBLE, pairs.peer, 0, MPI_COMM_WORLD);
      PMPI_Recv(&word, 1, MPI_DOUBLE, pairs.peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (!pairs.is_first) PMPI_Send(&word, 1, MPI_DOUBLE, pairs.peer, 0, MPI_COMM_WORLD);
    }
  };
  return seconds(repetitions, trip) / (2 * trips);
}

/// Returns the time of a message of `bytes` bytes, one of many that both ranks of a pair send and receive at
/// the same time. They start their sends first, as the ranks of the library do: if receives are first, large
/// messages go in one direction at a time by TCP.
double exchange(const Pairs& pairs, int bytes, int messages, int repetitions) {
  std::vector<std::byte> out(static_cast<std::size_t>(bytes)),
      in(out.size() * static_cast<std::size_t>(messages));
  const auto all = [&] {
    std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(messages));
    for (int i = 0; i < messages; ++i) {
      auto* const pair = &requests[2 * static_cast<std::size_t>(i)];
      PMPI_Isend(out.data(), bytes, MPI_BYTE, pairs.peer, 0, MPI_COMM_WORLD, &pair[0]);
      PMPI_Irecv(in.data() + static_cast<std::ptrdiff_t>(i) * bytes, bytes, MPI_BYTE, pairs.peer, 0,
                 MPI_COMM_WORLD, &pair[1]);
    }
    PMPI_Waitall(2 * messages, requests.data(), MPI_STATUSES_IGNORE);
  };
  return seconds(repetitions, all) / messages;
}

double reduced_byte(int repetitions) {
  const auto reducer = helper::reduction::Reducer::of(MPI_SUM, MPI_DOUBLE);
  if (!reducer) throw std::runtime_error("no kernel for sums of doubles");
  std::vector<double> one(1 << 15), other(one.size());
  const std::array operands{reinterpret_cast<const std::byte*>(one.data()),
                            reinterpret_cast<const std::byte*>(other.data())};
  const double taken = seconds(repetitions, [&] {
    reducer->reduce(operands, 0, one.size(), reinterpret_cast<std::byte*>(other.data()));
  });
  return taken / static_cast<double>(one.size() * sizeof(double));
}

constexpr int small = 8, small_messages = 200;
constexpr int large = 1 << 20, large_messages = 4;

/// Measures with native MPI the costs of messages between nodes, while all nodes exchange in pairs, and
/// within the first node. Also measures how fast a thread adds doubles. If nodes have a single rank, some
/// costs keep their defaults. Collective; the result is valid at rank 0.
NetworkCosts measure_network(const helper::ranks::Nodes& nodes, int repetitions) {
  NetworkCosts costs = helper::collective::default_costs;
  const Pairs one = between_nodes(nodes, 1);
  // Time in flow control is not processor time. A trip consists of overhead and latency, so at least a tenth
  // of it counts as latency.
  constexpr double most_overhead = 0.9;
  const double trip = half_round_trip(one, repetitions);
  costs.overhead = std::min(exchange(one, small, small_messages, repetitions), most_overhead * trip);
  costs.latency = trip - costs.overhead;
  const std::vector<int> first = nodes.ranks(0);
  const std::size_t most = std::min(first.size(), nodes.size(1));
  costs.per_byte = exchange(between_nodes(nodes, most), large, large_messages, repetitions) / large /
                   static_cast<double>(most);
  if (first.size() > 1) {
    Pairs within;
    within.add(first[0], first[1]);
    const double local_trip = half_round_trip(within, repetitions);
    costs.local_latency = std::max(local_trip - costs.overhead, (1 - most_overhead) * local_trip);
    costs.local_byte = exchange(within, large, large_messages, repetitions) / large;
  }
  costs.reduced_byte = reduced_byte(repetitions);
  return costs;
}

/// Measures the costs of a network. They replace measurements of each algorithm at each number of nodes.
void tune_network(const Settings& settings, const helper::ranks::Nodes& nodes) {
  helper::collective::NetworkCosts costs = measure_network(nodes, settings.repetitions);
  costs.team = settings.team;
  if (own_rank() != 0) return;
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

void run(const Settings& settings) {
  Crew crew({settings.team});
  std::vector<Row> rows;
  crew.run([&] {
    for (const char* operation : tuned) {
      const auto more = tune(operation_named(operation), settings, crew);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  });
  if (own_rank() != 0) return;
  write(rows, settings);
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
    std::vector<int> all(static_cast<std::size_t>(rank_count()));
    std::iota(all.begin(), all.end(), 0);
    const auto nodes = helper::ranks::Nodes::of(all, rank);
    if (nodes.count() > 1) return tune_network(settings, nodes);
    run(settings);
  });
}
