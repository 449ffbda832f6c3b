// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/stall.hpp"

#include <atomic>

#include "ranks/communicator.hpp"
#include "ranks/world.hpp"
#include "shm/node_context.hpp"

namespace helper::transport {

void Waits::say(std::uint64_t name) noexcept {
  if (auto* const own = shm::node_state().own_waits_in()) own->store(name, std::memory_order_relaxed);
}

std::string describe_stall(const std::string& operation, MPI_Comm comm, std::uint64_t name) {
  constexpr int most_listed = 16;
  const int size = ranks::size_of(comm);
  std::string missing;
  int count = 0;
  for (int other = 0; other < size; ++other) {
    if (!shm::node_state().is_missing(ranks::world::rank(comm, other), name)) continue;
    if (++count <= most_listed) missing += (count == 1 ? " for rank " : ", ") + std::to_string(other);
  }
  if (count > most_listed) missing += " and " + std::to_string(count - most_listed) + " more";
  return "rank " + std::to_string(ranks::rank_in(comm)) + " of " + std::to_string(size) + " waits in " +
         operation + " on communicator '" + ranks::communicator_name(comm) + "'" + missing +
         "; all ranks must call a collective operation, and all of them in a phase or none";
}

} // namespace helper::transport
