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

/// Networks, the slowest first. What is said of a node and its processor is the same in all: that of the
/// default costs.
///
/// - Ethernet, by TCP: of 125 MB/s of 1 Gbit, Ethernet, IP and TCP leave 1448 of 1538 bytes of a frame, which
///   is 117.7 MB/s. Half a round trip is taken to be 25 us, of which a processor has 5, for system calls at
///   both ends: on www.nw-grid.ac.uk/LivMPI, where another protocol saves 6 us, one pair of cards takes 23.6
///   us, at 118.2 MB/s. What is slower or faster is taken to be like it, but for the bytes.
/// - 100 Gbit RoCE: the default costs. 12.5 GB/s are the line rate; half a round trip is 1.9 us, as of the
///   like by kernel bypass (usNIC, 40 Gbit: 1.93 us, blogs.cisco.com/performance/mpi-over-40gb-ethernet).
/// - 400 Gbit NDR InfiniBand: line rate of 4 lanes of 106.25 GBd PAM4, 400 Gbit/s of data. That half a round
///   trip takes 1.2 us with the switches between, and a processor 0.25 us of it, is an assumption: what is
///   known of the generations before, less a part.
inline constexpr std::array networks{
    Network{"100 Mbit Ethernet", {20e-6, 0.5e-6, 5e-6, 1 / 11.77e6, 1 / 10e9, 1 / 5e9, 4}},
    Network{"1 Gbit Ethernet", {20e-6, 0.5e-6, 5e-6, 1 / 117.7e6, 1 / 10e9, 1 / 5e9, 4}},
    Network{"10 Gbit Ethernet", {20e-6, 0.5e-6, 5e-6, 1 / 1.177e9, 1 / 10e9, 1 / 5e9, 4}},
    Network{"100 Gbit RoCE", default_costs},
    Network{"400 Gbit NDR", {0.95e-6, 0.5e-6, 0.25e-6, 1 / 50e9, 1 / 10e9, 1 / 5e9, 4}}};

/// Returns the network whose time per byte is nearest to `per_byte` seconds, as a ratio.
const Network& nearest_network(double per_byte) noexcept;

/// Returns the name of the network that has these costs; nullptr if none has.
const char* name_of_network(const NetworkCosts& costs) noexcept;

/// Finds the network between nodes, with some messages on `all` between rank 0 and `peer`, which is on
/// another node. The fastest messages count. Both ranks call it, and block. The result is valid only at rank
/// 0. Choosing one of few networks keeps the algorithms, and so the last bits of sums, equal between runs of
/// a program. Throws std::bad_alloc.
const Network& find_network(MPI_Comm all, int peer);

} // namespace helper::collective
