// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <bit>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "pipeline/lane.hpp"

namespace helper::collective {

using pipeline::Lane;

namespace {

/// Completes a barrier in rounds: after round r, a rank has heard from the 2^(r + 1) - 1 ranks before it.
void barrier_dissemination(team::Member& member, const Shadow& shadow) {
  const int rank = shadow.rank();
  const int size = shadow.size();
  std::vector<Lane> only;
  only.emplace_back(member, shadow);
  const auto rounds = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size - 1)));
  pipeline::run("MPI_Barrier", only, rounds, [&](Lane& lane, std::size_t round) {
    const int distance = 1 << round;
    lane.receive(nullptr, 0, (rank + size - distance) % size, tag(MessageKind::barrier, round));
    lane.send(nullptr, 0, (rank + distance) % size, tag(MessageKind::barrier, round));
  });
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
