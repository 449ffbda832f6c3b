// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>

#include "collective/collective.hpp"
#include "collective/dispatch.hpp"
#include "collective/moves.hpp"
#include "message/message.hpp"
#include "reduction/reducer.hpp"
#include "shm/posts.hpp"
#include "team/team.hpp"

/// The non-blocking and persistent reductions that a team carries, among ranks of a node. The primary calls
/// each in a phase, with the arguments of the MPI function (MPI-4.0, section 6.12). A function that leaves
/// the call to native MPI does nothing and returns nothing. The conditions are those of collective.hpp, and
/// one more: no operation has made the shadow of the communicator yet. Making it would let ranks wait for one
/// another, which only persistent operations may. The conditions depend only on facts that are equal at all
/// ranks. The functions throw ranks::MpiError, and PeerGaveUp if another rank has failed on the communicator.
///
/// A rank posts its contribution (shm/posts.hpp), and copies what it needs as soon as other ranks have posted
/// theirs. So a rank that has begun an operation never delays the others. A communicator completes operations
/// in the order in which they were begun. Any thread that waits in MPI, or is idle, does a piece of them.
namespace helper::collective {

/// The library calls the first function when it begins, before there are members, and the second when it
/// ends, after all processes have completed all operations.
void start_nonblocking();
void stop_nonblocking() noexcept;

/// How a call creates the operation: started, with its request, or persistent, to be started later.
struct Making {
  // NOLINTNEXTLINE(google-explicit-constructor): the MPI function's argument
  Making(MPI_Request* of) noexcept : request(of) {}
  /// For the persistent function `function`. Native MPI makes its request once the ranks have agreed.
  Making(MPI_Request* of, const char* function,
         std::shared_ptr<const message::persistent::PersistentOperation>& made) noexcept
      : request(of), name(function), persistent(&made) {}

  MPI_Request* request;
  const char* name = nullptr;
  std::shared_ptr<const message::persistent::PersistentOperation>* persistent = nullptr;
};

std::optional<int> iallreduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                              MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Making& making);
decltype(iallreduce) ireduce_scatter_block, iscan, iexscan;

std::optional<int> ireduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                           MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, const Making& making);

std::optional<int> ireduce_scatter(team::Member& member, const void* send, void* receive, Integers counts,
                                   MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Making& making);

/// The ranks [first, last) of a communicator.
struct RankRange {
  int first = 0;
  int last = 0;

  int count() const noexcept { return last - first; }
};

/// A rank's part in a reduction. It contributes to `readers`. Bytes [begin, begin + result.bytes) of the
/// contributions of `from`, reduced in this order, become its result, if it has one.
struct Participation {
  const char* name; ///< of the function
  Part contribution;
  bool is_overwritten; ///< by the result
  RankRange readers;
  reduction::Reducer reducer; ///< which helpers may run
  Part result{};
  RankRange from{};
  std::size_t begin = 0;
};

/// Returns whether the team carries an operation of `bytes` bytes, equal at all ranks, on the shadow. It is
/// called before anything is allocated, and allocates nothing: lack of memory at one rank must not decide.
bool carries(const team::Member& member, const Shadow& shadow, Operation operation, std::size_t bytes);

/// Makes an operation on the shadow. Returns MPI_SUCCESS; nothing, alike at all ranks, without free posts for
/// a persistent one, or if the system refuses copies. Throws MpiError, PeerGaveUp and std::bad_alloc.
std::optional<int> make(team::Member& member, const Shadow& shadow, Participation&& participation,
                        const Making& making);

/// Makes a persistent operation, like make(), if the ranks agree. Collective and blocking.
std::optional<int> make_persistent(team::Member& member, const Shadow& shadow, Participation&& participation,
                                   const Making& making);

/// Returns the shadow of the call's communicator, if the team can carry operations on it. For a persistent
/// operation it may be made now, in which the ranks wait for one another.
const Shadow* find_shadow(team::Member& member, MPI_Comm comm, const Making& making);

/// Starts an operation with these posts, which nobody else uses meanwhile. `request` is MPI_REQUEST_NULL, or
/// persistent, and remains. Errors are reported on `comm`. Throws MpiError, PeerGaveUp and std::bad_alloc.
void begin(team::Member& member, std::shared_ptr<shm::Posts> posts, MPI_Comm comm,
           Participation&& participation, MPI_Request& request);

/// Forgets operations that have finished.
void forget_over() noexcept;

} // namespace helper::collective
