// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulation.hpp"

namespace model {

/// The costs of a Blue Gene/P, the machine of both papers that the simulator reproduces:
/// - A torus link carries 374 MB/s of payload (425 MB/s with packet headers).
/// - The four processes of a node share 13.6 GB/s to its memory. A list is copied twice at each end: from its
///   source into the message, and from the message to its target. Each copy reads and writes it.
/// - The gap is no longer than the overhead, so it is 0.
/// - Latency and overhead are fitted to the hash column of Table II of Langer et al., up to 32k processes:
///   the root mean square of the logarithms of the ratios to the times there is least.
constexpr Costs blue_gene{.latency = 4.34e-6,
                          .send_overhead = 3.90e-6,
                          .receive_overhead = 3.90e-6,
                          .gap_per_byte = 1 / 374e6,
                          .overhead_per_byte = 4 / (13.6e9 / 4)};

} // namespace model
