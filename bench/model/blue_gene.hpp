// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulation.hpp"

/// The costs of a Blue Gene/P, the machine of both papers that the simulator reproduces.
namespace model::blue_gene {

/// 374 MB/s of payload over one torus link of the machine (425 MB/s with packet headers).
constexpr double link_seconds_per_byte = 1 / 374e6;
/// The four processes of a node share 13.6 GB/s to its memory. A list is copied twice at each end: from its
/// source into the message, and from the message to its target. Each copy reads and writes it.
constexpr double copy_seconds_per_byte = 4 / (13.6e9 / 4);

/// The gap is no longer than the overhead, so it is 0.
constexpr Costs costs(double latency, double overhead) {
  return {latency, overhead, overhead, 0, link_seconds_per_byte, copy_seconds_per_byte};
}

/// Latency and overhead as fitted by `bench/trees --fit`.
constexpr Costs fitted = costs(4.34e-6, 3.90e-6);

} // namespace model::blue_gene
