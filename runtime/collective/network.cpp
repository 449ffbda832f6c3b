// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace helper::collective {

namespace {

/// On a slow network fewer bytes are enough to measure the rate, and take less time.
constexpr int bytes_if_slow = 32 * 1024;
constexpr int bytes_if_fast = 1024 * 1024;
constexpr double seconds_if_slow = 200e-6; // the least time of bytes_if_slow bytes

/// This rank and `peer` send `bytes` bytes to each other several times; rank 0 begins. Returns the seconds of
/// one way: the least of all but the first time, which makes connections.
double seconds_of_one_way(MPI_Comm all, int rank, int peer, std::vector<char>& data, int bytes) {
  constexpr int times = 4;
  double least = std::numeric_limits<double>::max();
  for (int time = 0; time < times; ++time) {
    const double begun = PMPI_Wtime();
    if (rank == 0) PMPI_Send(data.data(), bytes, MPI_BYTE, peer, 0, all);
    PMPI_Recv(data.data(), bytes, MPI_BYTE, peer, 0, all, MPI_STATUS_IGNORE);
    if (rank != 0) PMPI_Send(data.data(), bytes, MPI_BYTE, peer, 0, all);
    if (time != 0) least = std::min(least, (PMPI_Wtime() - begun) / 2);
  }
  return least;
}

/// Returns the seconds per byte between rank 0 and another rank. Rank 0 decides if they also send 1 MiB.
double seconds_of_byte(MPI_Comm all, int rank, int peer) {
  std::vector<char> data(bytes_if_fast);
  const double nothing = seconds_of_one_way(all, rank, peer, data, 1);
  double something = seconds_of_one_way(all, rank, peer, data, bytes_if_slow);
  int bytes = something < seconds_if_slow ? bytes_if_fast : bytes_if_slow;
  if (rank == 0) PMPI_Send(&bytes, 1, MPI_INT, peer, 0, all);
  if (rank != 0) PMPI_Recv(&bytes, 1, MPI_INT, 0, 0, all, MPI_STATUS_IGNORE);
  if (bytes == bytes_if_fast) something = seconds_of_one_way(all, rank, peer, data, bytes_if_fast);
  return std::max(something - nothing, 0.0) / bytes;
}

} // namespace

const Network& nearest_network(double per_byte) noexcept {
  const auto distance = [per_byte](const Network& network) {
    return std::abs(
        std::log(std::max(per_byte, std::numeric_limits<double>::min()) / network.costs.per_byte));
  };
  return *std::ranges::min_element(networks, {}, distance);
}

const char* name_of_network(const NetworkCosts& costs) noexcept {
  const auto found = std::ranges::find(networks, costs, &Network::costs);
  return found == networks.end() ? nullptr : found->name;
}

const Network& find_network(MPI_Comm all, int peer) {
  int rank = 0;
  PMPI_Comm_rank(all, &rank);
  return nearest_network(seconds_of_byte(all, rank, rank == 0 ? peer : 0));
}

} // namespace helper::collective
