// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "model/simulation.hpp"

#include "collective/schedule.hpp"

#include <cstddef>
#include <functional>

namespace model {

/// An operation by a schedule on nodes of one rank each.
struct ScheduledCall {
  std::function<helper::collective::Schedule(std::size_t rank)> schedule;
  std::size_t ranks;
  double chunk;               ///< bytes
  std::size_t chunks, lanes;  ///< so many of which are in flight at most
  double seconds_per_reduced; ///< byte
};

/// How long it takes, and how many messages and bytes the rank sends that sends most of them.
struct ScheduledTime {
  double seconds;
  std::size_t messages;
  double bytes;
};

/// Runs all ranks' schedules in the simulator.
ScheduledTime simulate(const ScheduledCall& call, const Costs& costs);

} // namespace model
