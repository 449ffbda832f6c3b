// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

void barrier_dissemination(team::Member& member, const Shadow& shadow) {
  const Schedule schedule =
      schedule_of(Operation::barrier, Algorithm::dissemination, static_cast<std::size_t>(shadow.rank()),
                  static_cast<std::size_t>(shadow.size()));
  ScheduledOperation{"MPI_Barrier", member, shadow, schedule, nullptr, MessageKind::barrier}.run_short({}, 0);
}

/// Runs the operation with `algorithm`, for dispatch().
bool run(Algorithm algorithm, team::Member& member, const Shadow& shadow) {
  switch (algorithm) {
  case Algorithm::shm_linear:
    return barrier_shm_linear(member, shadow), true;
  case Algorithm::dissemination:
    return barrier_dissemination(member, shadow), true;
  default:
    return false; // no row has it
  }
}

} // namespace

std::optional<int> barrier(team::Member& member, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return member.decline(reason::arguments);
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return member.decline(reason::shadow);
  return dispatch(member, Operation::barrier, situation(*shadow, 0),
                  [&](Algorithm algorithm) { return run(algorithm, member, *shadow); });
}

} // namespace helper::collective
