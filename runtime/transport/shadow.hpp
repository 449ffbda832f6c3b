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
#include "shm/window.hpp"
#include "team/bell.hpp"
#include "team/team.hpp"
#include "transport/failure.hpp"

namespace helper::transport {

/// The result of the agreement among the ranks of a communicator, at one of them.
struct Agreement {
  MPI_Comm user = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  MPI_Comm comm = MPI_COMM_NULL;         ///< where messages travel; if there is none, nothing is carried
  ranks::RankMap peers{};                ///< what the ranks are on `comm`
  ranks::Port leased{};                  ///< by this rank; none if `comm` is for this communicator alone
  std::int64_t port = 0;                 ///< the number of every rank's Port; 0 if there are none
  std::size_t chunk = 0;                 ///< bytes on the wire, which are equal at all ranks
  std::uint64_t name = 0;                ///< what a rank that waits in an operation here says it waits in
  bool is_oversubscribed = false;        ///< ranks take turns on processing units; the same at all ranks
  ranks::Nodes nodes{};                  ///< where the ranks are
  std::vector<team::Bell*> bells{};      ///< of the ranks on the own node, in order
  std::shared_ptr<shm::Window> window{}; ///< of all ranks, if they are on one node, or none at any of them
  int failed = MPI_SUCCESS;              ///< how the agreement ended, which others may have found to be good
};

/// The library's private side of a communicator of the user's: the runtime's own messages travel on it
/// between its processes, and it keeps what these have agreed on, which never changes.
///
/// They travel on one communicator, world::operations(), whatever the number of the user's, each of which has
/// a Port of every rank; so MPI has as many communicators left for the program as without the library. Only
/// where there is no such communicator, since MPI was initialised past the library, or any rank has no port
/// left, one is made of the same processes, for few of them. What is kept grows with the ranks of the own
/// node, and with all ranks only where RankMap or Nodes have to list them.
///
/// It is made at the first team collective on the user's communicator, where all its members are; it is kept
/// with that and freed with that. Attributes and info of the user's communicator are not copied.
class Shadow {
public:
  /// The tags of messages beyond the 15 bits that MPI guarantees: tags up to most_tag, or all tags, for which
  /// the shadow has a communicator of its own.
  enum class Tags { few, all };
  static constexpr int most_tag = ranks::Port::tags - 2; // the last is that of Failure's messages

  /// Returns the shadow of `user`. It is collective over `user` and blocking the first time, when it lends
  /// `member`; it is local after that. It returns nullptr when there is none: at all ranks alike, for an
  /// inter-communicator, or if there are too many communicators; and after Failure::give_up(). Throws
  /// MpiError. Only the thread that called MPI may call it.
  static const Shadow* of(MPI_Comm user, team::Member& member, Tags tags = Tags::few);

  /// Returns the shadow of `user` as of() does, if there is one: nullptr where of() would have to make it. It
  /// is local. Throws MpiError. Only the thread that called MPI may call it.
  static const Shadow* find(MPI_Comm user);

  /// Makes of() look again at what it has answered before. Any thread may call it.
  static void forget_answers() noexcept;

  /// Makes the shadow of ranks that have agreed already, without a word to the others. It takes the
  /// communicator over if that is for this one alone. Throws std::bad_alloc.
  explicit Shadow(Agreement agreed);
  /// MPI runs it when it frees user().
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  MPI_Comm user() const noexcept { return agreed_.user; }
  MPI_Comm comm() const noexcept { return agreed_.comm; }
  bool has_own_communicator() const noexcept { return agreed_.port == 0; }
  int rank() const noexcept { return agreed_.rank; }
  int size() const noexcept { return agreed_.size; }
  /// The peer and the tag, on comm(), of a message to or from a rank with one of the tags above.
  struct ShadowEnvelope {
    int peer;
    int tag;
  };
  ShadowEnvelope envelope(int rank, int tag) const noexcept {
    return {agreed_.peers[rank], first_tag_ + tag};
  }
  /// Returns the number of every rank's Port; 0 if the shadow has a communicator to itself.
  std::int64_t port() const noexcept { return agreed_.port; }
  /// Wakes the rank's threads that wait, if it is on this node; it is called once what is sent to the rank,
  /// or made true for it in memory that it shares, is there. Any thread may call it.
  void ring(int rank) const noexcept {
    if (team::Bell* const its = bell(rank)) its->ring();
  }
  /// Returns whether ring() would wake any thread.
  bool may_sleep(int rank) const noexcept {
    const team::Bell* const its = bell(rank);
    return its != nullptr && its->somebody_may_sleep();
  }
  /// Returns where the ranks are.
  const ranks::Nodes& nodes() const noexcept { return agreed_.nodes; }
  /// Returns whether ranks take turns on processing units; the answer is the same at all ranks.
  bool is_oversubscribed() const noexcept { return agreed_.is_oversubscribed; }
  /// Returns the name that a rank that waits in an operation here says it waits in (see stall.hpp).
  std::uint64_t name() const noexcept { return agreed_.name; }
  /// Returns the bytes of a chunk on the wire, which are equal at all ranks.
  std::size_t chunk() const noexcept { return agreed_.chunk; }

  /// Returns the ranks' frames, by which the operations here show things to the other ranks, if all ranks are
  /// on one node, share its arena, and had a frame left; otherwise nullptr, at all ranks alike.
  shm::Window* window() const noexcept { return agreed_.window.get(); }
  /// Returns the same, for what may outlive the shadow.
  std::shared_ptr<shm::Window> shared_window() const noexcept { return agreed_.window; }
  /// Returns what becomes of the operations here.
  Failure& failure() const noexcept { return failure_; }

private:
  Shadow(MPI_Comm user, team::Member& member, Tags tags);

  bool carries() const noexcept { return comm() != MPI_COMM_NULL && !failure_.gave_up(rank()); }
  team::Bell* bell(int rank) const noexcept {
    const std::size_t index = agreed_.nodes.index_on_own_node(rank);
    return index < agreed_.bells.size() ? agreed_.bells[index] : nullptr;
  }

  // It is within the object, as every operation counts there, but no fact about it. It comes first: if there
  // is no memory for it, that is known before the ranks agree.
  mutable Failure failure_;
  Agreement agreed_;
  const int first_tag_ = has_own_communicator() ? 0 : ranks::Port::first_tag(port());
};

/// The operation of the calling thread that is carried, or may be, on the result of Shadow::of().
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

/// The contribution of this process to the agreement of every communicator.
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
