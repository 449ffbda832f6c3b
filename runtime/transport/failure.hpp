// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace helper::transport {

class Shadow;

/// What becomes of the operations that are carried on a shadow communicator: how many there have been, and
/// which one each rank has given up. A rank that fails in one tells the others, so that those that wait for
/// it stop, and waits until nobody sends to it any more.
///
/// For the thread that carries the operation under way; only threads that share a channel of system-ranked
/// groups, which counts no operations, use one at the same time.
/// Model: tests/models/give_up.pml.
class Failure {
public:
  explicit Failure(const Shadow& shadow);

  /// An operation has been carried to its end at this rank. All ranks count the same ones.
  void end_operation() noexcept { ++carried_; }

  /// After an error: nothing more is carried here, from the operation under way on, and the other ranks are
  /// told, so that those that wait for this one in that operation stop. Does nothing the second time.
  void give_up() noexcept;

  /// Whether the rank is known to have given up the operation under way: it receives nothing more, and sends
  /// nothing more.
  bool gave_up(int rank) const noexcept { return given_up(rank) <= carried_; }

  /// Throws PeerGaveUp if another rank has given up the operation under way; it may be ahead of this one, and
  /// have given up a later one. To be called now and then in every wait for others.
  void check_peers();

  /// After give_up(): receives, and forgets, what has been sent here in vain, so that those who sent it get
  /// rid of it, and learns who else has given up.
  void sweep() noexcept;

  /// When the shadow ends: learns of whom it can still be learnt that they have given up, sweeps if anybody
  /// has, and returns how many ranks have.
  int count() noexcept;

  /// Notes, and says, that MPI has still something to do with messages whose memory must be kept therefore.
  void leave_behind() noexcept { left_behind_.store(true, std::memory_order_relaxed); }
  bool left_behind() const noexcept { return left_behind_.load(std::memory_order_relaxed); }

private:
  /// The message that says that its sender has given up an operation. It may come when the communicator has
  /// been freed and its tags are another's; so it says which port of its receiver it is meant for.
  struct GaveUp {
    std::uint64_t operation;
    std::int64_t port;
  };

  std::uint64_t given_up(int rank) const noexcept {
    return given_up_[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed);
  }
  bool receive_in_vain(int tag) noexcept;
  void note_given_up(int peer, const GaveUp& message) noexcept;

  static constexpr auto none = std::numeric_limits<std::uint64_t>::max();

  const Shadow& shadow_;
  std::uint64_t carried_ = 0; // operations, so the number of the one under way; equal at all ranks
  // The operation that each rank has given up, as far as is known, or none. Of this rank it is set once.
  // Relaxed, as is left_behind_: MPI orders all that follows.
  std::vector<std::atomic<std::uint64_t>> given_up_;
  std::unique_ptr<GaveUp[]> told_; // what to tell each other rank; taken by who gives up
  std::atomic<bool> left_behind_{false};
};

} // namespace helper::transport
