// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "model/simulation.hpp"

#include "collective/cost.hpp"
#include "collective/schedule.hpp"

#include <cstddef>
#include <functional>
#include <vector>

/// Collective operations in the simulator: the library's by its own schedules, and MPICH's.
namespace model {

/// What a rank does with a chunk, one step after the other: it sends to one rank, and waits for what another
/// sends. A rank of -1 is none.
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
  std::size_t chunks, lanes;    ///< so many of which are in flight at most
  double seconds_per_reduced;   ///< byte
  double seconds_per_chunk = 0; ///< for what is copied at last
};

/// How long an operation takes, and how many messages and bytes the rank sends that sends most of them, and
/// all ranks together.
struct ScheduledTime {
  double seconds;
  std::size_t messages;
  double bytes;
  std::size_t all_messages;
  double all_bytes;
};

/// Runs all ranks' steps in the simulator. Throws std::logic_error if a rank waits for what is not sent, or
/// is sent what it does not take.
ScheduledTime simulate(const ScheduledCall& call, const Costs& costs);

/// A schedule's on `bytes` bytes.
Steps steps_of(const helper::collective::Schedule& schedule, double bytes);

/// How the library's algorithm does the operation on nodes of as many ranks each, or MPICH 4.0 where that is
/// native, for one chunk after the other; without steps for what is within a node.
ScheduledCall call_of(helper::collective::Operation operation, helper::collective::Algorithm algorithm,
                      const helper::collective::Situation& situation,
                      const helper::collective::NetworkCosts& costs);

/// The same costs for the simulator, on nodes of so many ranks.
Costs simulator_costs(const helper::collective::NetworkCosts& costs, std::size_t on_node);

} // namespace model
