// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/traffic.hpp"

#include <mpi.h>

#include <algorithm>

#include "ranks/world.hpp"
#include "shm/node_context.hpp"

namespace helper::shm::traffic {

namespace {

// The most messages that a process can have in the queue of another process of its node (quirk
// sixty_four_in_queue). If it has sent more, MPI has seen the first ones.
constexpr std::uint64_t most_queued = 64;

// The count of sends of a process that shares nothing, and of every process until start().
constinit std::atomic<std::uint64_t> own_sent{0};

// How often other processes had sent when this process last caught up.
constinit std::atomic<std::uint64_t> seen{0};

} // namespace

constinit std::atomic<std::uint64_t>* detail::sent = &own_sent;

void start() noexcept {
  if (std::atomic<std::uint64_t>* const shared = node_state().own_sent()) detail::sent = shared;
}

void detail::call_others() noexcept {
  node_state().call_for_progress();
}

void poll() noexcept {
  if (ranks::world::comm() == MPI_COMM_NULL) return; // the library has ended, and sessions continue
  // A tag that no message has: a probe that finds a message makes no progress.
  constexpr int unused_tag = 0;
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, unused_tag, ranks::world::comm(), &flag, MPI_STATUS_IGNORE);
}

namespace {

/// Polls until MPI has seen the first `sent` messages of the other processes.
void poll_until(std::uint64_t sent) noexcept {
  const std::uint64_t before = seen.load(std::memory_order_relaxed);
  if (sent == before) return;
  // A poll sees at least one message, but MPI may need several polls to complete an operation.
  constexpr std::uint64_t least_polls = 8;
  const auto others = static_cast<std::uint64_t>(node_state().processes() - 1);
  const std::uint64_t polls = std::min(sent - before, most_queued * others) + least_polls;
  for (std::uint64_t done = 0; done < polls; ++done) poll();
  seen.store(sent, std::memory_order_relaxed); // no other thread needs to look for these messages
}

} // namespace

void catch_up() noexcept {
  detail::behind.fetch_add(detail::catches_up, std::memory_order_relaxed);
  detail::behind.fetch_and(~detail::is_behind, std::memory_order_relaxed);
  poll_until(node_state().sent_by_others());
  detail::behind.fetch_sub(detail::catches_up, std::memory_order_relaxed);
}

} // namespace helper::shm::traffic
