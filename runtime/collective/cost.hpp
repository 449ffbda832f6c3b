// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <bit>
#include <cstddef>

#include "collective/schedule.hpp"
#include "collective/selection.hpp"

/// This is a model of how long algorithms take among ranks of several nodes. It is to tell which of them is
/// the faster, and depends on nothing but what all ranks know alike.
namespace helper::collective {

/// An algorithm is chosen where it takes less than this part of the time of those before it in the table, and
/// native MPI where that does so.
inline constexpr double least_gain = 0.98;

/// Seconds that a call takes besides where native MPI does it in a phase: it lends its thread meanwhile, and
/// so takes MPI's non-blocking form. Two hosts, 8 bytes: MPI_Allreduce 12.2 us, and 13.3; MPI_Bcast 9.4 and
/// 10.5, where binomial takes 9.1.
inline constexpr double lending = 1e-6;

/// Tells whether model_seconds() may decide. It may not about MPI_Alltoallv and MPI_Alltoallw, where ranks do
/// not know alike how much data there is; nor about MPI_Barrier, where native MPI would be a non-blocking
/// one, and MPICH's knows no nodes: two hosts of two ranks take 123 us for that, and 59 by dissemination.
bool is_modelled(Operation operation) noexcept;

/// Tells whether MPICH gathers `bytes` of data in all along a ring.
constexpr bool native_rings(Operation operation, std::size_t bytes, std::size_t ranks) noexcept {
  return is_allgather(operation) && bytes >= std::size_t{std::has_single_bit(ranks) ? 524288U : 81920U};
}

/// Returns whether MPICH's MPI_Alltoall follows Bruck's algorithm.
constexpr bool bruck_natively(Operation operation, const Situation& situation) noexcept {
  return operation == Operation::alltoall && situation.ranks >= 8 && situation.bytes <= 256;
}

/// Returns how long the operation takes by the algorithm in the situation, which is on several nodes, by its
/// schedule. Native MPI is taken for MPICH. Throws std::bad_alloc.
double model_seconds(Operation operation, Algorithm algorithm, const Situation& situation,
                     const NetworkCosts& costs = network_costs());

/// The chunks that the library sends: the bytes of each, and the seconds that staging takes for each.
struct ModelledChunks {
  double bytes;
  std::size_t count, lanes;
  double staging;
};
ModelledChunks modelled_chunks(Operation operation, Algorithm algorithm, const Situation& situation,
                               const NetworkCosts& costs) noexcept;

/// Returns the seconds that a byte takes to be reduced: by the team, but for short messages.
double reduced_byte(Operation operation, Algorithm algorithm, const Situation& situation,
                    const NetworkCosts& costs) noexcept;

/// Returns the steps of MPICH's algorithm.
Schedule native_schedule(Operation operation, const Situation& situation, std::size_t rank,
                         bool is_summary = false);

/// Returns the schedule of a rank, from root 0, where each node has as many consecutive ranks, or its
/// summary.
Schedule schedule_of(Operation operation, Algorithm algorithm, const Situation& situation, std::size_t rank,
                     bool is_summary = false);

} // namespace helper::collective
