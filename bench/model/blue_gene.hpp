// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulation.hpp"

/// The costs of a Blue Gene/P, the machine of both papers that the simulator repeats.
namespace model::blue_gene {

/// 374 MB/s of payload over one of the machine's torus links (425 MB/s with its packets' headers).
constexpr double link_seconds_per_byte = 1 / 374e6;
/// The four processes of a node share 13.6 GB/s to its memory. A list is copied twice at either end, from
/// what it is made of into the message and into what it becomes; each time it is read and written.
constexpr double copy_seconds_per_byte = 4 / (13.6e9 / 4);

/// The gap is no longer than the overhead.
constexpr Costs costs(double latency, double overhead) {
  return {latency, overhead, overhead, 0, link_seconds_per_byte, copy_seconds_per_byte};
}

/// Latency and overhead as `bench/trees --fit` finds them.
constexpr Costs fitted = costs(4.34e-6, 3.90e-6);

} // namespace model::blue_gene
