// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/cost.hpp"

#include <array>

namespace bench::nodes {

struct Network {
  const char* name;
  helper::collective::NetworkCosts costs;
};

/// Three networks. What is said of a node and its processor is the same in all: that of the library's default
/// costs, `team` excepted, which is set for each cell.
///
/// - 1 Gbit Ethernet, by TCP: of 125 MB/s Ethernet, IP and TCP leave 1448 of 1538 bytes of a frame, 117.7.
///   Half a round trip is taken to be 25 us, of which a processor has 5, for system calls at both ends: on
///   www.nw-grid.ac.uk/LivMPI, where another protocol saves 6 us, one pair of cards takes 23.6 us, at 118.2
///   MB/s.
/// - 100 Gbit RoCE: the library's default costs. 12.5 GB/s are the line rate; half a round trip is 1.9 us,
///   as of the like by kernel bypass (usNIC, 40 Gbit: 1.93 us,
///   blogs.cisco.com/performance/mpi-over-40gb-ethernet).
/// - 400 Gbit NDR InfiniBand: line rate of 4 lanes of 106.25 GBd PAM4, 400 Gbit/s of data. That half a round
///   trip takes 1.2 us with the switches between, and a processor 0.25 us of it, is an assumption: what is
///   known of the generations before, less a part.
inline constexpr std::array networks{
    Network{"1 Gbit Ethernet", {20e-6, 0.5e-6, 5e-6, 1 / 117.7e6, 1 / 10e9, 1 / 5e9, 4}},
    Network{"100 Gbit RoCE", helper::collective::default_costs},
    Network{"400 Gbit NDR", {0.95e-6, 0.5e-6, 0.25e-6, 1 / 50e9, 1 / 10e9, 1 / 5e9, 4}}};

} // namespace bench::nodes
