// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ranks/nodes.hpp"
#include "ranks/port.hpp"
#include "ranks/rank_map.hpp"
#include "shm/control.hpp"
#include "team/bell.hpp"
#include "team/team.hpp"
#include "transport/failure.hpp"

namespace helper::transport {

/// What the ranks of a communicator have agreed on, from the view of one rank.
struct Agreement {
  MPI_Comm user = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  MPI_Comm comm = MPI_COMM_NULL;    ///< for messages; if MPI_COMM_NULL, every operation is native
  ranks::RankMap peers{};           ///< the ranks' numbers on `comm`
  ranks::Port leased{};             ///< by this rank; none if `comm` serves only this shadow
  std::int64_t port = 0;            ///< the number of every rank's Port; 0 if there are no ports
  std::size_t chunk = 0;            ///< bytes of a chunk in messages, equal at all ranks
  std::uint64_t name = 0;           ///< what a rank that waits in an operation here shows to others
  bool is_oversubscribed = false;   ///< whether the node of any rank is oversubscribed; equal at all ranks
  ranks::Nodes nodes{};             ///< where the ranks are
  std::vector<team::Bell*> bells{}; ///< of the ranks on this node, in the order of ranks
  std::shared_ptr<shm::CommControl> control{}; ///< of all ranks, if they are on one node
  int failed = MPI_SUCCESS; ///< this rank's error in the agreement; others may have succeeded
};

/// The library's private data for a user's communicator. The communicator's processes exchange the library's
/// messages through it. It contains what these processes have agreed on, which never changes.
///
/// The messages of all shadows use one communicator, world::operations(), on which each shadow has a Port at
/// every rank. So the program can make as many communicators as without the library. MPI may have been
/// initialised past the library, without that communicator, or a rank may have no free port. Then a few
/// shadows get communicators of their own. A shadow's memory grows with the number of ranks on this node. It
/// grows with the number of all ranks only if RankMap or Nodes have to list them.
///
/// The first collective operation in a phase makes the shadow, since all ranks of the user's communicator
/// take part. The shadow is an attribute of that communicator and freed with it.
class Shadow {
public:
  /// Which tags the messages have: `few` are 0 to most_tag. `all` are all tags of MPI, which need a
  /// communicator for this shadow alone.
  enum class Tags { few, all };
  static constexpr int most_tag = ranks::Port::tags - 2; // the last tag is for Failure's messages

  /// Returns the shadow of `user`. The first call is collective over `user` and blocks, lending `member`;
  /// later calls are local. Returns nullptr after Failure::give_up(), and at all ranks if they have agreed on
  /// no communicator for messages, as for an inter-communicator. Throws MpiError. Only a thread that may call
  /// MPI may call it.
  static const Shadow* of(MPI_Comm user, team::Member& member, Tags tags = Tags::few);

  /// Returns the shadow of `user` like of(), but nullptr if of() would have to make it. Local. Throws
  /// MpiError. Only a thread that may call MPI may call it.
  static const Shadow* find(MPI_Comm user);

  /// Makes of() forget the answers that it has cached for each thread. Any thread may call it.
  static void forget_answers() noexcept;

  /// Makes the shadow from an agreement. Owns agreed.comm if agreed.port is 0. Throws std::bad_alloc.
  explicit Shadow(Agreement agreed);
  /// MPI runs the destructor when it frees user().
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  MPI_Comm user() const noexcept { return agreed_.user; }
  MPI_Comm comm() const noexcept { return agreed_.comm; }
  bool has_own_communicator() const noexcept { return agreed_.port == 0; }
  int rank() const noexcept { return agreed_.rank; }
  int size() const noexcept { return agreed_.size; }
  /// The peer and the tag on comm() of a message to or from a rank of this shadow.
  struct ShadowEnvelope {
    int peer;
    int tag;
  };
  ShadowEnvelope envelope(int rank, int tag) const noexcept {
    return {agreed_.peers[rank], first_tag_ + tag};
  }
  /// Returns the number of every rank's Port; 0 if the shadow has a communicator to itself.
  std::int64_t port() const noexcept { return agreed_.port; }
  /// Wakes the rank's waiting threads, if it is on this node. Call it after a message to the rank has been
  /// sent, or a condition in shared memory has become true. Any thread may call it.
  void ring(int rank) const noexcept {
    if (team::Bell* const its = bell(rank)) its->ring();
  }
  /// Returns whether ring() would wake any thread.
  bool may_sleep(int rank) const noexcept {
    const team::Bell* const its = bell(rank);
    return its != nullptr && its->somebody_may_sleep();
  }
  const ranks::Nodes& nodes() const noexcept { return agreed_.nodes; }
  /// Returns whether the node of any rank is oversubscribed, alike at all ranks.
  bool is_oversubscribed() const noexcept { return agreed_.is_oversubscribed; }
  /// Returns the name that a rank that waits in an operation here shows to others (see stall.hpp).
  std::uint64_t name() const noexcept { return agreed_.name; }
  /// Returns the bytes of a chunk in messages, equal at all ranks.
  std::size_t chunk() const noexcept { return agreed_.chunk; }

  /// Returns the ranks' control blocks, with which operations show data to the other ranks. Returns nullptr,
  /// alike at all ranks, unless all ranks are on one node, share its arena, and had a free control block.
  shm::CommControl* control() const noexcept { return agreed_.control.get(); }
  /// Returns control() for owners that may outlive the shadow.
  std::shared_ptr<shm::CommControl> shared_control() const noexcept { return agreed_.control; }
  Failure& failure() const noexcept { return failure_; }

private:
  Shadow(MPI_Comm user, team::Member& member, Tags tags);

  bool carries() const noexcept { return comm() != MPI_COMM_NULL && !failure_.gave_up(rank()); }
  team::Bell* bell(int rank) const noexcept {
    const std::size_t index = agreed_.nodes.index_on_own_node(rank);
    return index < agreed_.bells.size() ? agreed_.bells[index] : nullptr;
  }

  // Mutable, because every operation counts itself there; it is not part of the agreement. It is the first
  // member, so that it throws std::bad_alloc before the ranks agree.
  mutable Failure failure_;
  Agreement agreed_;
  const int first_tag_ = has_own_communicator() ? 0 : ranks::Port::first_tag(port());
};

/// The calling thread's current operation on the result of Shadow::of().
namespace operation {

/// Records that no operation is in progress. Call it before an operation, or if one continues natively.
void reset() noexcept;

/// Records that the operation has finished at this rank, and counts it. All ranks count the same operations.
void end() noexcept;

/// Gives up the shadow if the operation has called of(). Does nothing if no operation is in progress.
void fail() noexcept;

/// Gives up the shadow that the operation has got from of(), or else that of `user`, if it has one.
void fail(MPI_Comm user) noexcept;

} // namespace operation

/// What this process contributes to the agreement about every communicator.
struct Terms {
  std::size_t chunk = std::size_t{512} * 1024; ///< bytes; the smallest of all ranks applies
  std::uint64_t selection = 0; ///< a hash value of all settings that select algorithms; ranks with
                               ///< different values get no shadow
  bool oversubscribed = false; ///< more processes share this process's cores than there are cores; if
                               ///< true at any rank, it holds for all
};

/// Sets the process's terms, before any agreement. Called at MPI_Init.
void offer(const Terms& terms) noexcept;

} // namespace helper::transport
