// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "network.hpp"

#include "common/statistics.hpp"

#include "reduction/reducer.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace bench {
namespace {

using helper::collective::NetworkCosts;

/// Pairs of ranks that exchange at the same time, from the view of this rank.
struct Pairs {
  void add(int first, int second) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == first) peer = second, is_first = true;
    if (rank == second) peer = first;
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

/// Returns the median of the seconds that `run` takes at the slowest rank.
template <class Run>
double seconds(int repetitions, const Run& run) {
  std::vector<double> samples;
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begun = PMPI_Wtime();
    run();
    double taken = PMPI_Wtime() - begun;
    PMPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (repetition != 0) samples.push_back(taken); // the first repetition makes connections
  }
  return quantiles(std::move(samples)).median;
}

/// Returns half the time of a round trip of 8 bytes.
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

/// Returns the time to add one byte of doubles.
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

} // namespace

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

} // namespace bench
