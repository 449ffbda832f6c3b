// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <bit>
#include <cstddef>

#include "collective/schedule.hpp"
#include "collective/selection.hpp"

/// A model of the times of algorithms on several nodes, to compare them. All ranks know its inputs alike.
namespace helper::collective {

/// An algorithm, or native MPI, is preferred to the best one before it if its time is less by this factor.
inline constexpr double least_gain = 0.98;

/// The extra seconds of a native call in a phase, since it uses MPI's non-blocking form.
inline constexpr double lending = 1e-6;

/// Returns whether model_seconds() may decide. It may not if ranks do not know the same sizes, as in
/// MPI_Gatherv, nor for MPI_Barrier, whose non-blocking form in MPICH knows no nodes.
bool is_modelled(Operation operation) noexcept;

/// Returns whether MPICH gathers `bytes` of data in total along a ring.
constexpr bool native_rings(Operation operation, std::size_t bytes, std::size_t ranks) noexcept {
  return is_allgather(operation) && bytes >= std::size_t{std::has_single_bit(ranks) ? 524288U : 81920U};
}

/// Returns whether MPICH's MPI_Alltoall follows Bruck's algorithm.
constexpr bool bruck_natively(Operation operation, const Situation& situation) noexcept {
  return operation == Operation::alltoall && situation.ranks >= 8 && situation.bytes <= 256;
}

/// Returns how long the operation takes with the algorithm, according to its schedule. The situation must
/// have several nodes. Native MPI is assumed to be MPICH. Throws std::bad_alloc.
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

/// Returns the seconds to reduce a byte: by the team, unless MPI reduces or messages are short.
double reduced_byte(Operation operation, Algorithm algorithm, const Situation& situation,
                    const NetworkCosts& costs) noexcept;

/// Returns the steps of MPICH's algorithm.
Schedule native_schedule(Operation operation, const Situation& situation, std::size_t rank,
                         bool is_summary = false);

/// Returns a rank's schedule, or its summary, for root 0, as if all nodes had equally many consecutive ranks.
Schedule schedule_of(Operation operation, Algorithm algorithm, const Situation& situation, std::size_t rank,
                     bool is_summary = false);

} // namespace helper::collective
