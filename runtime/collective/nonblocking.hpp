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

/// The non-blocking and persistent reductions that a team carries among ranks of a node. The primary calls a
/// function in a phase, with the arguments of the MPI function (MPI-4.0, section 6.12). If native MPI must
/// carry the call, which it does at all ranks or at none, the function does nothing and returns nothing. A
/// non-blocking call is also native if the communicator has no shadow yet: to make it, ranks would wait for
/// each other. Throws ranks::MpiError, and PeerGaveUp if another rank has failed on the communicator.
///
/// A rank posts its contribution (shm/posts.hpp). Other ranks copy it without help from the rank. So a rank
/// that has posted delays nobody. A communicator completes operations in the order in which they were begun.
/// Any thread that waits in MPI, or is idle, does pieces of the operations.
namespace helper::collective {

/// Called when the library ends, after all processes have completed all operations.
void stop_nonblocking() noexcept;

/// For team::hooks: are_pending() returns whether there may be work, advance() does a piece. See Hooks.
namespace begun {
bool are_pending() noexcept;
bool advance(team::Member& member) noexcept;
} // namespace begun

/// What a call makes: a started operation with its request, or a persistent operation that is started later.
struct Making {
  // NOLINTNEXTLINE(google-explicit-constructor): the MPI function's argument
  Making(MPI_Request* of) noexcept : request(of) {}
  /// For the persistent function `function`. Once the ranks agree to carry it, native MPI makes the request.
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

/// A rank's part in a reduction. The ranks `readers` read its contribution. Its result, if it has one, is the
/// reduction of bytes [begin, begin + result.bytes) of the contributions of the ranks `from`, in their order.
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

/// Makes an operation on the shadow; returns MPI_SUCCESS. Returns nothing, at all ranks, if copies are
/// refused, or if a persistent operation finds no free posts. Throws MpiError, PeerGaveUp and std::bad_alloc.
std::optional<int> make(team::Member& member, const Shadow& shadow, Participation&& participation,
                        const Making& making);

/// Makes a persistent operation, like make(), if all ranks have free posts. Collective and blocking.
std::optional<int> make_persistent(team::Member& member, const Shadow& shadow, Participation&& participation,
                                   const Making& making);

/// Returns the shadow of the communicator; nullptr if the team cannot carry the call. For a persistent
/// operation this may make the shadow, for which the ranks wait for one another.
const Shadow* find_shadow(team::Member& member, MPI_Comm comm, const Making& making);

/// Starts an operation with `posts`, which nobody else uses meanwhile. Sets `request`, unless the operation
/// is persistent. Reports errors on `comm`. Throws MpiError, PeerGaveUp and std::bad_alloc.
void begin(team::Member& member, std::shared_ptr<shm::Posts> posts, MPI_Comm comm,
           Participation&& participation, MPI_Request& request);

/// Forgets operations that have finished.
void forget_over() noexcept;

} // namespace helper::collective
