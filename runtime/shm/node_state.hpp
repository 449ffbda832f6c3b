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

/// The control segment: a small segment that all processes of a node write, for frequent notifications.
///
/// It is never unmapped: threads may ring until the process ends. Any thread may call the functions except
/// make() and take(), which are called before any other thread communicates.
class NodeState {
public:
  /// Makes the segment. Collective over `node`, called once. If any process cannot, there is no segment, and
  /// a thread that waits for another process must poll. `oversubscribed`: the processes that share this
  /// process's cores outnumber the cores.
  void make(const ranks::NodeRanks& node, bool oversubscribed);

  /// From now on the threads of this process sleep at its bell in the segment, and measure shared caches
  /// there. Call it when make() has returned at all processes of the node.
  void take() noexcept;

  /// Returns the bell of a rank of MPI_COMM_WORLD; nullptr if the rank is on another node, or its bell is not
  /// shared.
  team::Bell* bell(int world_rank) const noexcept;

  /// Wakes the waiting threads of a rank of MPI_COMM_WORLD, if it has a bell. Call it after making the
  /// awaited condition true in shared memory, or sending.
  void ring(int world_rank) const noexcept {
    if (team::Bell* const its = bell(world_rank)) its->ring();
  }

  /// Returns the counter of the process with this index on the node. It starts as 0, and all processes may
  /// use it. Returns nullptr if nothing is shared.
  std::atomic<int>* counter(int index) const noexcept;

  /// Returns the word of stream `index` from a rank of MPI_COMM_WORLD to a process of its node. It starts as
  /// 0, and both ends of the stream write it. Returns nullptr if nothing is shared.
  std::atomic<std::uint32_t>* stream(int world_rank, std::size_t index) const noexcept;
  static constexpr std::size_t streams = 16;

  /// Returns the words of a rank of MPI_COMM_WORLD for Posts::agree_on_next(): one for each PostFlags in its
  /// control block number `block`. Returns nullptr if nothing is shared.
  std::atomic<std::uint64_t>* agreed(int world_rank, std::size_t block) const noexcept;

  /// Returns the PostPart of a rank of MPI_COMM_WORLD; nullptr if the rank shares nothing with this process.
  PostPart* part(int world_rank) const noexcept;

  /// Returns the number of processes that share the segment; 0 if nothing is shared.
  int processes() const noexcept { return count_; }

  /// The counter of this process's sends, and the sum of the other processes' sends. nullptr and 0 if nothing
  /// is shared.
  std::atomic<std::uint64_t>* own_sent() const noexcept;
  std::uint64_t sent_by_others() const noexcept;

  /// Wakes the other processes' threads that sleep although MPI may need them.
  void call_for_progress() const noexcept;

  /// Returns the word in which this process shows in which operation it waits: transport::Waits stores the
  /// operation's name, or 0. Returns nullptr if nothing is shared.
  std::atomic<std::uint64_t>* own_waits_in() const noexcept;

  /// Returns whether a rank of MPI_COMM_WORLD is on this node and does not wait in the operation `name`.
  bool is_missing(int world_rank, std::uint64_t name) const noexcept;

  /// Sets `bit`, which stands for a text that is printed once per node. Returns true in the first call
  /// with this bit on the node or, if nothing is shared, in this process.
  bool first_to_report(std::uint64_t bit) noexcept;

private:
  struct ProcessState;
  ProcessState* state_of(int world_rank) const noexcept;

  ProcessState* states_ = nullptr;
  int count_ = 0; // of states
  int own_ = 0;   // the index of this process's state
  bool has_membarrier_ = false;
  std::unordered_map<int, ProcessState*> by_rank_; // of MPI_COMM_WORLD
  std::atomic<std::uint64_t> reported_{0};         // used if nothing is shared; bits are only set, relaxed
};

} // namespace helper::shm
