// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <bit>
#include <vector>

#include "collective/collective.hpp"
#include "collective/reason.hpp"
#include "collective/selection.hpp"
#include "collective/shm_linear.hpp"
#include "collective/situation.hpp"
#include "pipeline/lane.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

using pipeline::Lane;
using transport::Shadow;

// Dissemination: after round r, a rank has heard from the 2^(r + 1) - 1 ranks before it.
std::optional<int> barrier(team::Member& member, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return member.decline(reason::arguments);
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return member.decline(reason::shadow);
  const Algorithm algorithm = choose(member, Operation::barrier, situation(*shadow, 0));
  if (algorithm == Algorithm::native) return member.decline(reason::selection);
  if (algorithm == Algorithm::shm_linear) {
    barrier_shm_linear(member, *shadow);
    return MPI_SUCCESS;
  }
  const int rank = shadow->rank();
  const int size = shadow->size();
  std::vector<Lane> only;
  only.emplace_back(member, *shadow);
  const auto rounds = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size - 1)));
  pipeline::run("MPI_Barrier", only, rounds, [&](Lane& lane, std::size_t round) {
    const int distance = 1 << round;
    lane.receive(nullptr, 0, (rank + size - distance) % size, tag(Message::barrier, round));
    lane.send(nullptr, 0, (rank + distance) % size, tag(Message::barrier, round));
  });
  return MPI_SUCCESS;
}

} // namespace helper::collective
