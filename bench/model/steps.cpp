// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Turns schedules of collective operations into steps of ranks for the simulator.

#include "model/scheduled.hpp"

#include "collective/cost.hpp"
#include "collective/scheduled.hpp"

#include <algorithm>
#include <utility>

namespace model {

namespace {

using namespace helper::collective;

std::int32_t number(std::size_t rank) {
  return static_cast<std::int32_t>(rank);
}

} // namespace

Steps steps_of(const Schedule& schedule, double bytes) {
  const double block = bytes / static_cast<double>(schedule.blocks());
  // Calls `visit(bytes)` for each message.
  const auto for_each_message = [&](const BlockRun& run, const auto& visit) {
    double all = 0;
    if (run.count == 0) return;
    run.for_each_part(schedule.blocks(), [&](std::size_t begin, std::size_t end) {
      all += block * static_cast<double>(end - begin);
      if (run.period == 0) visit(std::exchange(all, 0));
    });
    if (run.period != 0) visit(all);
  };
  Steps made;
  for (const std::span<const ScheduleStep> steps : schedule.groups()) {
    for (const ScheduleStep& step : steps)
      for_each_message(step.out,
                       [&](double size) { made.push_back({.to = number(step.to), .sends = size}); });
    for (const ScheduleStep& step : steps)
      for_each_message(step.in, [&](double size) {
        const bool reduces = step.arrival != ScheduleStep::Arrival::stored;
        made.push_back({.from = number(step.from), .takes = size, .reduces = reduces});
      });
  }
  return made;
}

ScheduledCall call_of(Operation operation, Algorithm algorithm, const Situation& situation,
                      const NetworkCosts& costs) {
  const ModelledChunks cut = modelled_chunks(operation, algorithm, situation, costs);
  ScheduledCall call{{}, static_cast<std::size_t>(situation.ranks), cut.count, cut.lanes, 0, cut.staging};
  if (algorithm >= Algorithm::shm_linear) return call;
  call.seconds_per_reduced = reduced_byte(operation, algorithm, situation, costs);
  call.steps = [=](std::size_t rank) {
    return steps_of(schedule_of(operation, algorithm, situation, rank), cut.bytes);
  };
  return call;
}

} // namespace model
