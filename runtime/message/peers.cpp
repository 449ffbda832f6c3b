// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/peers.hpp"

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "lifetime/never_destroyed.hpp"
#include "message/deferred_sends.hpp"
#include "message/message.hpp"
#include "message/shm_stream.hpp"
#include "ranks/world.hpp"
#include "shm/traffic.hpp"

namespace helper::message::peers {

namespace {

// Whether MPI may have a receive whose buffer the library does not know. After each start(), a thread that
// finds no such receive clears the flag, with release. A thread that reads false with acquire sees what that
// thread did before, and then shows other processes that this process is ready.
constinit std::atomic<bool> has_unknown{true};

// Returns whether the library knows all receives that are not complete. `own` is the argument of be_ready().
bool knows_all(std::uint64_t own) {
  if (!has_unknown.load(std::memory_order_acquire)) [[likely]]
    return true;
  if (shm::traffic::requests() > own || !persistent::receives_over()) return false;
  has_unknown.store(false, std::memory_order_release);
  return true;
}

/// What this process knows of the ranks of MPI_COMM_WORLD to which it has no streams.
struct Known {
  std::mutex mutex;        // guards the rest
  std::vector<bool> ready; // by rank
  std::vector<int> told;   // by rank: 1 if this process has told it, otherwise 0
  int heard = 0;
  int all_told = 0; // how many processes have told this one; known at the end
  MPI_Request ending = MPI_REQUEST_NULL;
};

constexpr auto& known = lifetime::sole<Known>;

/// Receives and notes a message in which `source` says that it is ready. Returns false if none has arrived.
bool hear(Known& all, int source) noexcept {
  int found = 0;
  MPI_Status status;
  PMPI_Iprobe(source, tags::ready, ranks::world::comm(), &found, &status);
  if (found == 0 || PMPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, tags::ready, ranks::world::comm(),
                              MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return false;
  all.ready[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
  ++all.heard;
  return true;
}

} // namespace

void start(bool announce) {
  detail::may_announce = announce;
  int size = 0;
  PMPI_Comm_size(ranks::world::comm(), &size);
  Known& all = known();
  all.ready.assign(static_cast<std::size_t>(size), false);
  all.told.assign(static_cast<std::size_t>(size), 0);
  all.heard = all.all_told = 0;
  has_unknown.store(true, std::memory_order_relaxed);
  detail::may_get_ready.store(announce, std::memory_order_relaxed);
}

void expect_rts() noexcept {
  if (shm::traffic::requests() == 0 && persistent::no_receives())
    has_unknown.store(false, std::memory_order_release);
}

void detail::get_ready(std::uint64_t own) {
  if (!knows_all(own)) return;
  shm_stream::be_ready();
  may_get_ready.store(false, std::memory_order_relaxed);
}

bool is_ready(int world_rank) noexcept {
  if (!announce() || !ranks::world::takes_more()) return false;
  if (shm_stream::connects(world_rank)) return shm_stream::reaches(world_rank);
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  return all.ready[static_cast<std::size_t>(world_rank)] || hear(all, world_rank);
}

void tell(int world_rank) noexcept {
  if (world_rank == MPI_UNDEFINED || shm_stream::connects(world_rank)) return;
  if (has_unknown.load(std::memory_order_acquire)) return;
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  int& told = all.told[static_cast<std::size_t>(world_rank)];
  if (told == 0 && deferred::send({}, world_rank, tags::ready) == MPI_SUCCESS) told = 1; // or try again later
}

void end() noexcept {
  Known& all = known();
  PMPI_Ireduce_scatter_block(all.told.data(), &all.all_told, 1, MPI_INT, MPI_SUM, ranks::world::comm(),
                             &all.ending);
}

bool ended() noexcept {
  Known& all = known();
  int done = 0;
  PMPI_Test(&all.ending, &done, MPI_STATUS_IGNORE);
  if (done == 0) return false;
  const std::lock_guard lock(all.mutex);
  while (all.heard < all.all_told && hear(all, MPI_ANY_SOURCE)) {
  }
  return all.heard == all.all_told;
}

} // namespace helper::message::peers
