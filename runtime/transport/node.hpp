// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

#include "team/bell.hpp"
#include "transport/node_ranks.hpp"

/// What the processes of a node tell one another all the time: one small segment that all of them write.
namespace helper::transport::node {

/// Makes it. Collective over `node`. Where any of its processes cannot,
/// there is none, and who waits for another process must look for itself. `oversubscribed`: this process
/// shares processing units with more processes than there are units. Once, at MPI_Init.
void make(const NodeRanks& node, bool oversubscribed);

/// The bell of a rank of MPI_COMM_WORLD; nullptr if it is on another node, or has none that others reach.
/// Any thread.
team::Bell* bell(int world_rank) noexcept;

/// A number that begins as 0, kept for the process of this index on the node, for all to use; nullptr where
/// nothing is shared. Any thread.
std::atomic<int>* counter(int index) noexcept;

/// How many processes share the segment; none where nothing is shared. Any thread.
int processes() noexcept;

/// How often this process has sent something, for it to count there, and how often the others have, together;
/// nullptr and 0 where nothing is shared. Any thread.
std::atomic<std::uint64_t>* own_sent() noexcept;
std::uint64_t sent_by_others() noexcept;

/// Wakes the other processes' threads that sleep although MPI may need them. Any thread.
void call_for_progress() noexcept;

/// What this process waits in, for it to say there by a name, or 0; nullptr where nothing is shared. Any
/// thread.
std::atomic<std::uint64_t>* own_waits_in() noexcept;

/// Whether that rank of MPI_COMM_WORLD is on this node and does not wait in what has this name.
/// Any thread.
bool is_missing(int world_rank, std::uint64_t name) noexcept;

/// Whether no process of the node has called this before; none of this process where nothing is shared. Any
/// thread.
bool first_to_report() noexcept;

/// Wakes the threads of a rank of MPI_COMM_WORLD that wait, if it has a bell. To be called after making true
/// in shared memory, or sending, what they may be waiting for. Any thread.
inline void ring(int world_rank) noexcept {
  if (team::Bell* const its = bell(world_rank)) its->ring();
}

} // namespace helper::transport::node
