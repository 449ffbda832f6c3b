// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>

#include "collective/selection.hpp"

/// Finds out which network connects the nodes, if the user has not named one.
namespace helper::collective {

struct Network {
  const char* name;
  NetworkCosts costs;
};

/// Networks, the slowest first, with the default costs of a node and its processor.
///
/// - Ethernet, by TCP: frames of 1538 bytes carry 1448, so 1 Gbit has 125 MB/s * 1448/1538 = 117.7 MB/s. Half
/// a round trip is taken to be 25 us, 5 us of it in a processor (www.nw-grid.ac.uk/LivMPI: 23.6 us).
/// - 100 Gbit RoCE: the line rate; half a round trip is 1.9 us, as with other kernel bypass (usNIC: 1.93 us,
///   blogs.cisco.com/performance/mpi-over-40gb-ethernet).
/// - 400 Gbit NDR InfiniBand: the line rate; half a round trip of 1.2 us, 0.25 us of it in a processor, is
///   assumed.
inline constexpr std::array networks{
    Network{"100 Mbit Ethernet", {20e-6, 0.5e-6, 5e-6, 1 / 11.77e6, 1 / 10e9, 1 / 5e9, 4}},
    Network{"1 Gbit Ethernet", {20e-6, 0.5e-6, 5e-6, 1 / 117.7e6, 1 / 10e9, 1 / 5e9, 4}},
    Network{"10 Gbit Ethernet", {20e-6, 0.5e-6, 5e-6, 1 / 1.177e9, 1 / 10e9, 1 / 5e9, 4}},
    Network{"100 Gbit RoCE", default_costs},
    Network{"400 Gbit NDR", {0.95e-6, 0.5e-6, 0.25e-6, 1 / 50e9, 1 / 10e9, 1 / 5e9, 4}}};

/// Returns the network whose time per byte differs from `per_byte` seconds by the smallest factor.
const Network& nearest_network(double per_byte) noexcept;

/// Returns the name of the network that has these costs; nullptr if none has.
const char* name_of_network(const NetworkCosts& costs) noexcept;

/// Finds the network between nodes: rank 0 and `peer`, a rank on another node, exchange messages on `all`.
/// Both ranks call it, and block. The result is valid at rank 0. There are few networks to choose from, so
/// every run has the same algorithms and the same last bits of sums. Throws std::bad_alloc.
const Network& find_network(MPI_Comm all, int peer);

} // namespace helper::collective
