// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

namespace helper::transport {

class Shadow;

/// Counts the operations on a shadow communicator, and records which operation each rank has given up. A rank
/// that fails in an operation tells the others, so that ranks that wait for it stop. It waits until no rank
/// sends to it any more.
///
/// Only the thread that performs the current operation uses it. Threads that share a channel of system-ranked
/// groups, which counts no operations, may use one object at the same time. tests/models/give_up.pml models
/// it.
class Failure {
public:
  /// Begins for a shadow of `ranks` ranks, which may still be incomplete. Throws std::bad_alloc.
  Failure(const Shadow& shadow, int ranks);

  /// Records that an operation has finished at this rank. All ranks count the same operations.
  void end_operation() noexcept { ++carried_; }

  /// Call it after an error. Ends all operations here, from the current one on, and tells the other ranks, so
  /// that those that wait for this one stop. Does nothing the second time.
  void give_up() noexcept;

  /// Returns whether the rank is known to have given up the current operation: it receives and sends no more.
  bool gave_up(int rank) const noexcept { return given_up(rank) <= carried_; }

  /// Throws PeerGaveUp if another rank has given up the current operation. (A rank that is ahead may have
  /// given up a later one.) Every wait for others calls this from time to time.
  void check_peers();

  /// After give_up(): discards messages to this rank, so that senders can finish, and learns who gave up.
  void sweep() noexcept;

  /// When the shadow ends: returns how many ranks are known to have given up, and sweeps if any has.
  int count() noexcept;

  /// Record, and return, whether MPI still uses messages, so that their memory must be kept.
  void leave_behind() noexcept { left_behind_.store(true, std::memory_order_relaxed); }
  bool left_behind() const noexcept { return left_behind_.load(std::memory_order_relaxed); }

private:
  /// The message of a sender that has given up an operation. It may arrive after the communicator has been
  /// freed and its tags have been reused, so it names its port.
  struct GaveUp {
    std::uint64_t operation;
    std::int64_t port;
  };

  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };

  std::uint64_t given_up(int rank) const noexcept {
    return given_up_[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed) - 1;
  }
  bool receive_in_vain(int tag) noexcept;
  void note_given_up(int peer, const GaveUp& message) noexcept;

  static constexpr auto none = std::numeric_limits<std::uint64_t>::max();

  const Shadow& shadow_;
  std::uint64_t carried_ = 0; // finished operations: the number of the current one, equal at all ranks
  // For each rank, one more than the operation that it has given up, as far as known, otherwise 0. Memory
  // that nobody has written is 0: until a rank gives up, the system need not provide it. This rank's entry is
  // set once. Relaxed, like the words below: MPI orders all that follows.
  std::unique_ptr<std::atomic<std::uint64_t>[], Free> given_up_;
  std::atomic<bool> is_known_{false};    // whether any rank has given up; set after given_up_
  std::unique_ptr<GaveUp> told_;         // the message to the other ranks; released when this rank gives up
  std::atomic<bool> left_behind_{false}; // by leave_behind(); relaxed, since it orders nothing
};

} // namespace helper::transport
