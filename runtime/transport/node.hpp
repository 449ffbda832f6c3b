// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

#include "team/bell.hpp"
#include "transport/node_ranks.hpp"

/// The processes of a node all write one small segment, in which they tell one another things all the time.
/// Any thread may call the functions but make().
namespace helper::transport::node {

/// Makes the segment. It is collective over `node`. Where any of its processes cannot, there is none, and a
/// thread that waits for another process must look for itself. `oversubscribed` says that this process shares
/// processing units with more processes than there are units. It is called once, at MPI_Init.
void make(const NodeRanks& node, bool oversubscribed);

/// Returns the bell of a rank of MPI_COMM_WORLD; nullptr if the rank is on another node, or has none that
/// others reach.
team::Bell* bell(int world_rank) noexcept;

/// Returns a number that begins as 0 and is kept for the process of this index on the node, for all to use;
/// nullptr where nothing is shared.
std::atomic<int>* counter(int index) noexcept;

/// Returns how many processes share the segment; none do where nothing is shared.
int processes() noexcept;

/// These return where this process counts how often it has sent something, and how often the others have,
/// together; nullptr and 0 where nothing is shared.
std::atomic<std::uint64_t>* own_sent() noexcept;
std::uint64_t sent_by_others() noexcept;

/// Wakes the other processes' threads that sleep although MPI may need them.
void call_for_progress() noexcept;

/// Returns where this process says what it waits in, by a name, or 0; nullptr where nothing is shared.
std::atomic<std::uint64_t>* own_waits_in() noexcept;

/// Tells whether that rank of MPI_COMM_WORLD is on this node and does not wait in what has this name.
bool is_missing(int world_rank, std::uint64_t name) noexcept;

/// Tells whether no process of the node has called this before; where nothing is shared, whether this process
/// has not.
bool first_to_report() noexcept;

/// Wakes the threads of a rank of MPI_COMM_WORLD that wait, if it has a bell. It is called after what they
/// may be waiting for has been made true in shared memory, or sent.
inline void ring(int world_rank) noexcept {
  if (team::Bell* const its = bell(world_rank)) its->ring();
}

} // namespace helper::transport::node
