// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/turn.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "groups/creation/signal.hpp"
#include "team/bell.hpp"
#include "transport/world.hpp"

namespace helper::groups::creation {

namespace {

std::mutex turn;

/// Returns the members in an order that is the same at all of them: that of MPI_COMM_WORLD or, where not all
/// of them are in this process's, that of the communicator.
std::vector<int> in_order(const Members& members) {
  const auto world_rank = [&](int rank) { return transport::world::rank(members.comm, rank); };
  std::vector<int> ranks = members.ranks;
  if (std::ranges::find(ranks, MPI_UNDEFINED, world_rank) == ranks.end())
    std::ranges::sort(ranks, {}, world_rank);
  else
    std::ranges::sort(ranks);
  return ranks;
}

} // namespace

// Each member gets its turn after the member before it in the order. So a member that has one waits only for
// turns at processes later in the order, and never for members that have not come.
Turn::Turn(const Members& members, team::Member& waiting) : lock_(turn, std::defer_lock) {
  const std::vector<int> ranks = in_order(members);
  const auto own = std::ranges::find(ranks, members.ranks[static_cast<std::size_t>(members.rank)]);
  if (own != ranks.begin()) hear(members, own[-1], waiting);
  waiting.lend_until([this] { return lock_.try_lock(); },
                     [] { return std::string("waits for another thread's MPIX_Group_comm_create"); },
                     team::Woken::by_its_bell);
  if (own + 1 != ranks.end()) tell(members, own[1], 0, waiting);
}

Turn::~Turn() {
  lock_.unlock();
  team::Bell::own().ring();
}

} // namespace helper::groups::creation
