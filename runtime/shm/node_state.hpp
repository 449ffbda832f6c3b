// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "ranks/node_ranks.hpp"
#include "team/bell.hpp"

namespace helper::shm {

struct PostPart;

/// The processes of a node all write one small segment, in which they tell one another things all the time.
///
/// It is never unmapped: threads may ring until the process ends. Any thread may call the functions but
/// make() and take(), which are called before any other thread communicates.
class NodeState {
public:
  /// Makes the segment. It is collective over `node`, and called once. Where any of its processes cannot,
  /// there is none, and a thread that waits for another process must look for itself. `oversubscribed` says
  /// that this process shares processing units with more processes than there are units.
  void make(const ranks::NodeRanks& node, bool oversubscribed);

  /// From now on the threads of this process sleep by its bell here, and measure here which caches they
  /// share. Call it when make() has returned at all processes of the node.
  void take() noexcept;

  /// Returns the bell of a rank of MPI_COMM_WORLD; nullptr if the rank is on another node, or has none that
  /// others reach.
  team::Bell* bell(int world_rank) const noexcept;

  /// Wakes the threads of a rank of MPI_COMM_WORLD that wait, if it has a bell. It is called after what they
  /// may be waiting for has been made true in shared memory, or sent.
  void ring(int world_rank) const noexcept {
    if (team::Bell* const its = bell(world_rank)) its->ring();
  }

  /// Returns a number that begins as 0 and is kept for the process of this index on the node, for all to use;
  /// nullptr where nothing is shared.
  std::atomic<int>* counter(int index) const noexcept;

  /// Returns a number that starts as 0, for both ends of stream `index` from the rank of MPI_COMM_WORLD to
  /// processes of the node. Returns nullptr if nothing is shared.
  std::atomic<std::uint32_t>* stream(int world_rank, std::size_t index) const noexcept;
  static constexpr std::size_t streams = 16;

  /// Returns the words by which the ranks of a communicator agree which operations they carry (posts.hpp):
  /// one for each operation that has posts in a frame of that rank of MPI_COMM_WORLD. nullptr where there are
  /// none.
  std::atomic<std::uint64_t>* agreed(int world_rank, std::size_t frame) const noexcept;

  /// Returns where that rank gives others parts of contributions (posts.hpp); nullptr where there is nothing.
  PostPart* part(int world_rank) const noexcept;

  /// Returns how many processes share the segment; none do where nothing is shared.
  int processes() const noexcept { return count_; }

  /// The counter of what this process has sent, and the sum of what the other processes have sent. nullptr
  /// and 0 if nothing is shared.
  std::atomic<std::uint64_t>* own_sent() const noexcept;
  std::uint64_t sent_by_others() const noexcept;

  /// Wakes the other processes' threads that sleep although MPI may need them.
  void call_for_progress() const noexcept;

  /// Returns where this process says what it waits in, by a name, or 0; nullptr where nothing is shared.
  std::atomic<std::uint64_t>* own_waits_in() const noexcept;

  /// Returns whether that rank of MPI_COMM_WORLD is on this node and does not wait in the operation with this
  /// name.
  bool is_missing(int world_rank, std::uint64_t name) const noexcept;

  /// Returns whether no process of the node has passed this bit before; where nothing is shared, whether this
  /// process has not. Each text that is printed once per node has a bit.
  bool first_to_report(std::uint64_t bit) noexcept;

private:
  struct ProcessState;
  ProcessState* state_of(int world_rank) const noexcept;

  ProcessState* states_ = nullptr;
  int count_ = 0; // of them
  int own_ = 0;   // which of them is this process's
  bool has_membarrier_ = false;
  std::unordered_map<int, ProcessState*> by_rank_; // of MPI_COMM_WORLD
  std::atomic<std::uint64_t> reported_{0};         // where nothing is shared; bits are only set, relaxed
};

} // namespace helper::shm
