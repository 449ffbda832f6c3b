// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace helper::transport {

class Shadow;

/// Counts the operations on a shadow communicator, and records which operation each rank has given up. A rank
/// that fails in an operation tells the other ranks, so that ranks that wait for it stop. Then the failed
/// rank waits until no rank sends to it any more.
///
/// Only the thread that performs the current operation uses it. Threads that share a channel of system-ranked
/// groups, which counts no operations, may use one object at the same time. tests/models/give_up.pml models
/// it.
class Failure {
public:
  /// `shadow`, of `ranks` ranks, need not be complete yet. Throws std::bad_alloc.
  Failure(const Shadow& shadow, int ranks);

  /// Records that an operation has finished at this rank. All ranks count the same operations.
  void end_operation() noexcept { ++carried_; }

  /// Call it after an error. From the current operation on, this rank takes part in none. Tells the other
  /// ranks, so that ranks that wait for this one stop. A second call does nothing.
  void give_up() noexcept;

  /// Returns whether the rank is known to have given up the current operation: it receives and sends no more.
  bool gave_up(int rank) const noexcept { return given_up(rank) <= carried_; }

  /// Throws PeerGaveUp if another rank has given up the current operation. Ignores a rank that is ahead of
  /// this one and has given up a later operation. Every wait for other ranks calls this repeatedly.
  void check_peers();

  /// After give_up(): discards messages to this rank, so that senders can finish, and learns who gave up.
  void sweep() noexcept;

  /// When the shadow ends: returns how many ranks are known to have given up, and sweeps if any has.
  int count() noexcept;

  /// leave_behind() records that MPI still uses memory of given-up messages, which must then never be freed.
  void leave_behind() noexcept { left_behind_.store(true, std::memory_order_relaxed); }
  bool left_behind() const noexcept { return left_behind_.load(std::memory_order_relaxed); }

private:
  /// The message of a sender that has given up an operation. It may arrive after the communicator has been
  /// freed and its tags have been reused, so it names its port.
  struct GaveUp {
    std::uint64_t operation;
    std::int64_t port;
  };

  std::uint64_t given_up(int rank) const noexcept {
    return given_up_[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed) - 1;
  }
  bool receive_in_vain(int tag) noexcept;
  void note_given_up(int peer, const GaveUp& message) noexcept;

  static constexpr auto none = std::numeric_limits<std::uint64_t>::max();

  const Shadow& shadow_;
  std::uint64_t carried_ = 0; // finished operations; also the number of the current one, equal at all ranks
  // For each rank that is known to have given up an operation: the number of this operation, plus 1. For
  // other ranks 0, from calloc, which takes no memory until the first store. This rank's entry is set
  // once. Relaxed, like the flags below: other data of these ranks come through MPI calls, which order them.
  std::unique_ptr<std::atomic<std::uint64_t>[], void (*)(void*)> given_up_;
  std::atomic<bool> is_known_{false};    // whether any rank has given up; set after given_up_
  std::unique_ptr<GaveUp> told_;         // the message to the other ranks; released when this rank gives up
  std::atomic<bool> left_behind_{false}; // by leave_behind(); relaxed, since it orders nothing
};

} // namespace helper::transport
