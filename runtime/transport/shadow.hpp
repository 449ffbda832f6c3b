// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "team/bell.hpp"
#include "team/team.hpp"
#include "transport/failure.hpp"
#include "transport/nodes.hpp"
#include "transport/port.hpp"
#include "transport/window.hpp"

namespace helper::transport {

/// This is the library's private side of a communicator of the user's: the runtime's own messages travel on
/// it between its processes, and it keeps what these have agreed on, which never changes.
///
/// They travel on one communicator, world::operations(), whatever the number of the user's, each of which has
/// a Port of every rank; so MPI has as many communicators left for the program as without the library. Only
/// where not all ranks are in this MPI_COMM_WORLD, or any has no port left, a communicator is made of the
/// same processes.
///
/// It is made at the first team collective on the user's communicator, where all its members are; it is kept
/// with that and freed with that. Attributes and info of the user's communicator are not copied.
class Shadow {
public:
  /// This says which tags messages may have, beyond the 15 bits that MPI has at least: tags up to most_tag,
  /// or all that there are, for which the shadow has a communicator to itself.
  enum class Tags { few, all };
  static constexpr int most_tag = Port::tags - 2; // the last is that of Failure's messages

  /// Returns the shadow of `user`. It is collective over `user` and blocking the first time, when it lends
  /// `member`; it is local after that. It returns nullptr when there is none: at all ranks alike, for an
  /// inter-communicator, or if there are too many communicators; and after Failure::give_up(). Throws
  /// MpiError. Only the thread that called MPI may call it.
  static const Shadow* of(MPI_Comm user, team::Member& member, Tags tags = Tags::few);

  /// Has of() look again at what it has answered before. Any thread may call it.
  static void forget_answers() noexcept;

  /// MPI runs it when it frees user().
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  MPI_Comm user() const noexcept { return user_; }
  MPI_Comm comm() const noexcept { return comm_; }
  bool has_own_communicator() const noexcept { return port_.number() == 0; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  /// This is the peer and the tag, on comm(), of a message to or from a rank with one of the tags above.
  struct Envelope {
    int peer;
    int tag;
  };
  Envelope to(int rank, int tag) const noexcept {
    const Address& address = addresses_[static_cast<std::size_t>(rank)];
    return {address.rank, address.first_tag + tag};
  }
  Envelope from(int rank, int tag) const noexcept { return {to(rank, 0).peer, to(rank_, tag).tag}; }
  /// Returns the number of the rank's Port; 0 if the shadow has a communicator to itself.
  std::int64_t port(int rank) const noexcept { return addresses_[static_cast<std::size_t>(rank)].port; }
  /// Wakes the rank's threads that wait, if it is on this node; it is called once what is sent to the rank,
  /// or made true for it in memory that it shares, is there. Any thread may call it.
  void ring(int rank) const noexcept {
    if (team::Bell* const bell = bells_[static_cast<std::size_t>(rank)]) bell->ring();
  }
  /// Tells whether ring() would wake any thread.
  bool may_sleep(int rank) const noexcept {
    const team::Bell* const bell = bells_[static_cast<std::size_t>(rank)];
    return bell != nullptr && bell->somebody_may_sleep();
  }
  /// Returns where the ranks are.
  const Nodes& nodes() const noexcept { return nodes_; }
  /// Tells whether ranks take turns on processing units; the answer is the same at all ranks.
  bool is_oversubscribed() const noexcept { return is_oversubscribed_; }
  /// Returns the name that a rank that waits in an operation here says it waits in (see stall.hpp).
  std::uint64_t name() const noexcept { return name_; }
  /// Returns the bytes of a chunk on the wire, which are equal at all ranks.
  std::size_t chunk() const noexcept { return chunk_; }

  /// Returns the ranks' frames, by which the operations here show things to the other ranks, if all ranks are
  /// on one node, share its arena, and had a frame left; otherwise nullptr, at all ranks alike.
  Window* window() const noexcept { return window_.get(); }
  /// Returns what becomes of the operations here.
  Failure& failure() const noexcept { return failure_; }

private:
  Shadow(MPI_Comm user, team::Member& member, Tags tags);

  const MPI_Comm user_;
  const int rank_;
  const int size_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  Port port_; // of this rank; none if comm_ is of this shadow alone
  /// This says where a rank is on comm_, and where the tags begin that it receives there.
  struct Address {
    int rank;
    int first_tag;
    std::int64_t port;
  };
  std::vector<Address> addresses_; // by rank
  std::size_t chunk_ = 0;
  std::uint64_t name_ = 0;
  bool is_oversubscribed_ = false;
  int failed_ = MPI_SUCCESS; // how the agreement ended, which the others may have found to be good
  Nodes nodes_;
  std::vector<team::Bell*> bells_; // by rank; nullptr of those on other nodes
  std::unique_ptr<Window> window_;
  mutable Failure failure_; // within the object, as every operation counts there, but no fact about it
};

/// These concern the operation of the calling thread that is carried, or may be, on what Shadow::of() returns
/// to it.
namespace operation {

/// Notes that no operation is under way: one begins, or goes on natively.
void reset() noexcept;

/// Notes that the operation has been carried to its end at this rank, and counts it, as all ranks do.
void end() noexcept;

/// Gives up the shadow, since the operation has failed, if it has called of(). Does nothing if none is under
/// way.
void fail() noexcept;

/// Does the same to the shadow of `user`, a communicator, if the operation had not come to calling of().
void fail(MPI_Comm user) noexcept;

} // namespace operation

/// This is what this process brings to every communicator's agreement.
struct Terms {
  std::size_t chunk = std::size_t{512} * 1024; ///< bytes; the smallest of all ranks' holds
  std::uint64_t selection = 0; ///< stands for all that decides between algorithms: where ranks differ, which
                               ///< takes several MPI_COMM_WORLDs, there is no shadow
  bool oversubscribed = false; ///< the process has been given fewer processing units than there are processes
                               ///< that were given the same; that of any rank holds
};

/// Sets the process's terms, before any agreement is made. It is called at MPI_Init.
void offer(const Terms& terms) noexcept;

} // namespace helper::transport
