// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "team/bell.hpp"
#include "team/team.hpp"
#include "transport/nodes.hpp"
#include "transport/port.hpp"
#include "transport/window.hpp"

namespace helper::transport {

/// The library's private side of a communicator of the user's: where the runtime's own messages travel
/// between its processes, and what these have agreed on.
///
/// They travel on one communicator, world::operations(), whatever the number of the user's, each of which has
/// a Port of every rank; so MPI has as many communicators left for the program as without the library. Only
/// where not all ranks are in this MPI_COMM_WORLD, or any has no port left, a communicator is made of the
/// same processes.
///
/// Made at the first team collective on the user's communicator, where all its members are; kept as an
/// attribute of it and freed with it. Attributes and info of the user's communicator are not copied.
class Shadow {
public:
  /// What messages may have, beyond the 15 bits that MPI has at least: tags up to most_tag, or all that there
  /// are, for which the shadow has a communicator to itself.
  enum class Tags { few, all };
  static constexpr int most_tag = Port::tags - 2; // the last is that of the shadow's own messages

  /// The shadow of `user`. Collective over `user` and blocking the first time, when it lends `member`; local
  /// after that. nullptr when there is none: at all ranks alike, an inter-communicator, or too many
  /// communicators; and after give_up(). Throws MpiError. For the thread that called MPI only.
  static const Shadow* of(MPI_Comm user, team::Member& member, Tags tags = Tags::few);

  /// Frees the communicator that it has to itself, if any. For MPI, when it frees user().
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  /// Frees what of() made for MPI_COMM_WORLD and MPI_COMM_SELF, whose attributes outlive everything. Before
  /// MPI_Finalize.
  static void leave_predefined();

  /// The same, and forgets what threads remember of shadows. Before MPI ends.
  static void stop();

  MPI_Comm user() const noexcept { return user_; }
  MPI_Comm comm() const noexcept { return comm_; }
  /// What is a message to a rank there, or from a rank, with one of the tags above.
  struct Envelope {
    int peer;
    int tag;
  };
  Envelope to(int rank, int tag) const noexcept {
    const Address& address = addresses_[static_cast<std::size_t>(rank)];
    return {address.rank, address.first_tag + tag};
  }
  Envelope from(int rank, int tag) const noexcept { return {to(rank, 0).peer, to(rank_, tag).tag}; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  /// The rank's part of the arena, if there is a window().
  const std::byte* part(int rank) const noexcept { return parts_[static_cast<std::size_t>(rank)]; }
  /// Wakes the rank's threads that wait, if it is on this node: what is sent to it, or made true for it in
  /// memory that it shares, is there. Any thread.
  void ring(int rank) const noexcept {
    if (team::Bell* const bell = bells_[static_cast<std::size_t>(rank)]) bell->ring();
  }
  /// Whether that would wake anybody.
  bool may_sleep(int rank) const noexcept {
    const team::Bell* const bell = bells_[static_cast<std::size_t>(rank)];
    return bell != nullptr && bell->somebody_may_sleep();
  }
  /// Where the ranks are.
  const Nodes& nodes() const noexcept { return nodes_; }
  /// The ranks' frames, if all ranks are on one node, share its arena, and had a frame left; nullptr at all
  /// ranks alike.
  Window* window() const noexcept { return window_.get(); }
  /// Whether ranks take turns on processing units; the same answer at all ranks.
  bool takes_turns() const noexcept { return takes_turns_; }
  /// What a rank that waits in an operation here says it waits in: see stall.hpp.
  std::uint64_t name() const noexcept { return name_; }
  /// Bytes of a chunk on the wire; equal at all ranks.
  std::size_t chunk() const noexcept { return chunk_; }

  /// An operation of the calling thread begins that may be carried, on what of() then returns.
  static void begin_operation() noexcept;

  /// It has been carried, to its end at this rank. Counts it, as all ranks do.
  static void end_operation() noexcept;

  /// It is not carried.
  static void decline_operation() noexcept;

  /// It has failed: as give_up(), if it has called of(). Nothing if none is under way.
  static void fail_operation() noexcept;

  /// As fail_operation(), of the shadow of `user`, a communicator, if the operation had not come to calling
  /// of().
  static void fail_operation(MPI_Comm user) noexcept;

  /// After an error: nothing more is carried here, from the operation under way on, and the other ranks are
  /// told, so that those that wait for this one in that operation stop. Nothing the second time. For the
  /// thread that carries the operation, as what follows.
  /// Model: tests/models/give_up.pml.
  void give_up() const noexcept;

  /// Throws PeerGaveUp if another rank has given up the operation under way; it may be ahead of this one, and
  /// have given up a later one. To be called now and then in every wait for others.
  void check_peers() const;

  /// After give_up(): receives, and forgets, what has been sent here in vain, so that those who sent it get
  /// rid of it, and learns who else has given up.
  void sweep() const noexcept;

  /// Whether the rank is known to have given up the operation under way: it receives nothing more, and sends
  /// nothing more.
  bool gave_up(int rank) const noexcept { return given_up(rank) <= progress_.carried; }

  /// Notes, and says, that MPI has still something to do with messages whose memory must be kept therefore.
  void leave_behind() const noexcept { progress_.left_behind.store(true, std::memory_order_relaxed); }
  bool left_behind() const noexcept { return progress_.left_behind.load(std::memory_order_relaxed); }

private:
  Shadow(MPI_Comm user, team::Member& member, Tags tags);

  /// The message that says that its sender has given up an operation. It may come when the communicator has
  /// been freed and its tags are another's; so it says which port of its receiver it is meant for.
  struct GaveUp {
    std::uint64_t operation;
    std::int64_t port;
  };

  bool has_own_communicator() const noexcept { return port_.number() == 0; }

  std::uint64_t given_up(int rank) const noexcept {
    return progress_.given_up[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed);
  }
  bool receive_in_vain(int tag) const noexcept;
  void note_given_up(int peer, const GaveUp& message) const noexcept;

  MPI_Comm user_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  Port port_; // of this rank; none if comm_ is of this shadow alone
  /// Where a rank is on comm_, and where the tags begin that it receives there.
  struct Address {
    int rank;
    int first_tag;
    std::int64_t port;
  };
  std::vector<Address> addresses_; // by rank
  int rank_ = 0;
  int size_ = 0;
  std::size_t chunk_ = 0;
  std::uint64_t name_ = 0;
  bool takes_turns_ = false;
  int failed_ = MPI_SUCCESS; // how the agreement ended, which the others may have found to be good
  std::vector<const std::byte*> parts_;
  Nodes nodes_;
  std::vector<team::Bell*> bells_; // by rank; nullptr of those on other nodes
  std::unique_ptr<Window> window_;

  static constexpr auto none = std::numeric_limits<std::uint64_t>::max();

  // What has become of the operations so far. Whoever carries one has it for itself, so it is also written in
  // const; but threads share that of a channel of system-ranked groups, which counts no operations.
  struct Progress {
    std::uint64_t carried = 0; // operations, so the number of the one under way; equal at all ranks
    // The operation that each rank has given up, as far as is known, or none. Of this rank it is set once.
    // Relaxed, as is left_behind: MPI orders all that follows.
    std::vector<std::atomic<std::uint64_t>> given_up;
    std::unique_ptr<GaveUp[]> own; // the same of this rank, for each other; taken by who has set it
    std::atomic<bool> left_behind{false};
  };
  mutable Progress progress_;
};

/// What this process brings to every communicator's agreement.
struct Terms {
  std::size_t chunk = std::size_t{512} * 1024; ///< bytes; the smallest of all ranks' holds
  std::uint64_t selection = 0; ///< stands for all that decides between algorithms: where ranks differ, which
                               ///< takes several MPI_COMM_WORLDs, there is no shadow
  bool takes_turns = false;    ///< the process has been given fewer processing units than there are processes
                               ///< that were given the same; that of any rank holds
};

/// Sets them, before any agreement is made. At MPI_Init.
void offer(const Terms& terms) noexcept;

} // namespace helper::transport
