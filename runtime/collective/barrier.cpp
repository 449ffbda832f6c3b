// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

/// Carries the operation with `algorithm`, for dispatch().
template <Algorithm algorithm>
void run(team::Member& member, const Shadow& shadow) {
  if constexpr (algorithm == Algorithm::shm_linear) return barrier_shm_linear(member, shadow);
  static_assert(algorithm == Algorithm::shm_linear || is_scheduled(Operation::barrier, algorithm));
  const Schedule& schedule = schedule_of(Operation::barrier, algorithm, shadow);
  ScheduledOperation{"MPI_Barrier", member, shadow, schedule, nullptr, MessageKind::barrier}.run_short({}, 0);
}

} // namespace

std::optional<int> barrier(team::Member& member, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return member.decline(reason::arguments);
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return member.decline(reason::shadow);
  return dispatch<set_of(Operation::barrier)>(member, Operation::barrier, situation(*shadow, 0),
                                              [&]<Algorithm by> { run<by>(member, *shadow); });
}

} // namespace helper::collective
