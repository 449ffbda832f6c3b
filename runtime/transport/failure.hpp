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

/// Counts the operations that are carried on a shadow communicator, and keeps which operation each rank has
/// given up. A rank that fails in an operation tells the others, so that ranks that wait for it stop. It
/// waits until no rank sends to it any more.
///
/// Only the thread that carries the current operation uses it. Threads that share a channel of system-ranked
/// groups, which counts no operations, may use one object at the same time. tests/models/give_up.pml models
/// it.
class Failure {
public:
  /// Begins with the shadow of `ranks` ranks, which need not be complete yet. Throws std::bad_alloc.
  Failure(const Shadow& shadow, int ranks);

  /// Notes that an operation has been carried to its end at this rank. All ranks count the same ones.
  void end_operation() noexcept { ++carried_; }

  /// After an error this ends all operations here, from the one under way on, and tells the other ranks, so
  /// that those that wait for this one in that operation stop. Does nothing the second time.
  void give_up() noexcept;

  /// Returns whether the rank is known to have given up the operation under way: then it receives nothing
  /// more, and sends nothing more.
  bool gave_up(int rank) const noexcept { return given_up(rank) <= carried_; }

  /// Throws PeerGaveUp if another rank has given up the operation under way; it may be ahead of this one, and
  /// have given up a later one. Every wait for others calls this now and then.
  void check_peers();

  /// After give_up(), this receives and forgets what has been sent here without success, so that its senders
  /// get rid of it, and learns which other ranks have given up.
  void sweep() noexcept;

  /// When the shadow ends, this learns of all ranks of which it can still be learnt that they have given up,
  /// sweeps if any has, and returns how many ranks have.
  int count() noexcept;

  /// Note, and return, that MPI still uses messages, so that their memory must be kept.
  void leave_behind() noexcept { left_behind_.store(true, std::memory_order_relaxed); }
  bool left_behind() const noexcept { return left_behind_.load(std::memory_order_relaxed); }

private:
  /// The message of a sender that has given up an operation. It may come after the communicator has been
  /// freed and its tags have been reused, so it names the port that it is meant for.
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
  std::uint64_t carried_ = 0; // operations, so the number of the one under way; equal at all ranks
  // For each rank, one more than the operation that it has given up, as far as is known, otherwise 0. Memory
  // that nobody has written to is 0: until a rank gives up, the system need not provide any. The entry of
  // this rank is set once. Accesses are relaxed, like the accesses to the words below: MPI orders all that
  // follows.
  std::unique_ptr<std::atomic<std::uint64_t>[], Free> given_up_;
  std::atomic<bool> is_known_{false}; // that any rank has; set after that
  std::unique_ptr<GaveUp> told_;      // what to tell the other ranks; taken on giving up
  std::atomic<bool> left_behind_{false};
};

} // namespace helper::transport
