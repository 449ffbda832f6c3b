// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "model/simulation.hpp"

#include "collective/cost.hpp"
#include "collective/schedule.hpp"

#include <cstddef>
#include <functional>
#include <vector>

/// Collective operations in the simulator: the library's, from its schedules, and MPICH's.
namespace model {

/// What a rank does with a chunk, step by step: it sends to one rank, and waits for a message of another. -1
/// means no rank.
struct Step {
  std::int32_t to = -1;
  double sends = 0; ///< bytes
  std::int32_t from = -1;
  double takes = 0;     ///< bytes
  bool reduces = false; ///< what it takes
};
using Steps = std::vector<Step>;

struct ScheduledCall {
  std::function<Steps(std::size_t rank)> steps;
  std::size_t ranks;
  std::size_t chunks, lanes;    ///< at most `lanes` of them are in flight
  double seconds_per_reduced;   ///< byte
  double seconds_per_chunk = 0; ///< for the final copy
};

/// The time of an operation. The messages and bytes of the rank that sends most, and the messages of all
/// ranks.
struct ScheduledTime {
  double seconds;
  std::size_t messages;
  double bytes;
  std::size_t all_messages;
};

/// Runs the steps of all ranks in the simulator. Throws std::logic_error if a rank waits for a message that
/// nobody sends, or gets one that it does not wait for.
ScheduledTime simulate(const ScheduledCall& call, const Costs& costs);

/// Returns the steps of a schedule for `bytes` bytes.
Steps steps_of(const helper::collective::Schedule& schedule, double bytes);

/// Returns the steps of the library's algorithm, or of MPICH 4.0 if it is native, on nodes with equally many
/// ranks. Chunks follow one another. Steps within a node are left out.
ScheduledCall call_of(helper::collective::Operation operation, helper::collective::Algorithm algorithm,
                      const helper::collective::Situation& situation,
                      const helper::collective::NetworkCosts& costs);

/// Returns the same costs for the simulator, on nodes of `on_node` ranks.
Costs simulator_costs(const helper::collective::NetworkCosts& costs, std::size_t on_node);

} // namespace model
