// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "message/request_names.hpp"
#include "native/quirks.hpp"
#include "ranks/thread_level.hpp"
#include "team/team.hpp"

/// Point-to-point communication of a thread in a phase.
///
/// Functions that return an optional have the arguments and the meaning of the MPI function of their name
/// (MPI-4.0, chapter 3), after the member; they return nothing, having done nothing, when it is to be done
/// natively. Those that return a code do that themselves. For the thread that called MPI; with requests, for
/// the requests that these functions have started and for native ones alike.
namespace helper::message {

/// The non-blocking form of a send in some mode, as the MPI function.
using Start = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/// Functions that start a send of each mode.
inline constexpr Start standard = PMPI_Isend;
inline constexpr Start synchronous = PMPI_Issend;
inline constexpr Start ready = PMPI_Irsend;

/// Begins, when the arena has been made: communicates over MPI_COMM_WORLD. May begin again after stop().
/// Unless `announce`, messages from and to this process are MPI's own.
void start(bool announce);

/// Ends, before MPI does. This is collective over MPI_COMM_WORLD.
void stop();

/// From now on threads receive, complete and probe by the functions below also outside of phases. Any thread
/// calls it when this process is to be in phases, before other processes can announce anything to it.
void act_outside() noexcept;

namespace detail {
// act_outside() sets it, until stop(). A thread that receives what others have announced since has
// synchronised with them through MPI, and they with the thread of this process that has shown that it is
// ready. Sequentially consistent: of a thread that counts a receive and then looks, and one that sets it and
// then counts the requests (peers::be_ready()), one sees the other's.
inline constinit std::atomic<bool> acts_outside{false};
} // namespace detail

inline bool acts_outside() noexcept {
  return detail::acts_outside.load(std::memory_order_seq_cst);
}

/// Whether the thread is to count as a request what it receives without the library, from before it looks,
/// sequentially consistently, whether that acts outside: another thread may call act_outside() meanwhile.
inline bool counts_receives() noexcept {
  return ranks::thread_level() == MPI_THREAD_MULTIPLE;
}

/// How much of an arena of `bytes` bytes messages take, from its beginning.
std::size_t arena_share(std::size_t bytes) noexcept;

/// How much of that must be there from the start, with `processes` processes on the node.
std::size_t arena_at_once(std::size_t processes) noexcept;

/// Returns whether data lie scattered enough for the team to pack or unpack them, if MPI accepts them: so a
/// message of enough of them is announced, as far as that depends on them.
bool is_scattered(const void* buffer, MPI_Count count, MPI_Datatype type);

/// Returns the bytes of non-contiguous data that the team still has to pack and unpack for these requests.
/// For a receive whose message has not come, these are all bytes that it has room for.
std::size_t bytes_left(int count, const MPI_Request* requests);

/// Does what the blocking send does of which `start` is the non-blocking form. Stall reports name `function`.
std::optional<int> send(team::Member& member, Start start, std::string_view function, const void* buffer,
                        MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm);

std::optional<int> recv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int source,
                        int tag, MPI_Comm comm, MPI_Status* status);

/// The non-blocking forms.
std::optional<int> isend(team::Member& member, Start start, const void* buffer, MPI_Count count,
                         MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request);

std::optional<int> irecv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int source,
                         int tag, MPI_Comm comm, MPI_Request* request);

/// Receive messages that a probe has matched.
std::optional<int> mrecv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                         MPI_Message* message, MPI_Status* status);
std::optional<int> imrecv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                          MPI_Message* message, MPI_Request* request);

/// Send and receive at once.
std::optional<int> sendrecv(team::Member& member, const void* out, MPI_Count out_count, MPI_Datatype out_type,
                            int destination, int out_tag, void* in, MPI_Count in_count, MPI_Datatype in_type,
                            int source, int in_tag, MPI_Comm comm, MPI_Status* status);
std::optional<int> sendrecv_replace(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                                    int destination, int out_tag, int source, int in_tag, MPI_Comm comm,
                                    MPI_Status* status);
std::optional<int> isendrecv(team::Member& member, const void* out, MPI_Count out_count,
                             MPI_Datatype out_type, int destination, int out_tag, void* in,
                             MPI_Count in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                             MPI_Request* request);
std::optional<int> isendrecv_replace(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                                     int destination, int out_tag, int source, int in_tag, MPI_Comm comm,
                                     MPI_Request* request);

/// Does what PMPI_Testany does, and makes the status of inactive requests empty: quirk testany_leaves_status.
int testany_natively(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status);

std::optional<int> request_get_status(team::Member& member, MPI_Request request, int* flag,
                                      MPI_Status* status);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
std::optional<int> request_get_status_all(team::Member& member, int count, const MPI_Request* requests,
                                          int* flag, MPI_Status* statuses);
std::optional<int> request_get_status_any(team::Member& member, int count, const MPI_Request* requests,
                                          int* index, int* flag, MPI_Status* status);
std::optional<int> request_get_status_some(team::Member& member, int count, const MPI_Request* requests,
                                           int* completed, int* indices, MPI_Status* statuses);
#endif
std::optional<int> request_free(team::Member& member, MPI_Request* request);
std::optional<int> cancel(team::Member& member, MPI_Request* request);

/// Whether all MPI calls of the program come by the library: by the shared one, which has PMPI_X, too. The
/// static one does not see all calls of Fortran programs.
bool sees_all_calls() noexcept;

/// Hands what other processes may wait for to MPI, before a call that blocks there.
void rescue() noexcept;

/// Returns when no other process depends on the member for a message any more, before it leaves its phase. It
/// calls MPI only if another process depends on an operation that the thread has started. It never does if
/// threads take turns in MPI: then a send is done when it has been started, and a receive waits for the
/// thread that completes it.
void settle(team::Member& member);

/// Complete requests, and lend the member while they wait.
std::optional<int> wait(team::Member& member, MPI_Request* request, MPI_Status* status);
std::optional<int> waitall(team::Member& member, int count, MPI_Request* requests, MPI_Status* statuses);
/// Does what waitall() does also where all requests are native ones.
std::optional<int> wait_for_all(team::Member& member, int count, MPI_Request* requests, MPI_Status* statuses);
std::optional<int> waitany(team::Member& member, int count, MPI_Request* requests, int* index,
                           MPI_Status* status);
std::optional<int> waitsome(team::Member& member, int count, MPI_Request* requests, int* completed,
                            int* indices, MPI_Status* statuses);

std::optional<int> test(team::Member& member, MPI_Request* request, int* flag, MPI_Status* status);
std::optional<int> testall(team::Member& member, int count, MPI_Request* requests, int* flag,
                           MPI_Status* statuses);
std::optional<int> testany(team::Member& member, int count, MPI_Request* requests, int* index, int* flag,
                           MPI_Status* status);
std::optional<int> testsome(team::Member& member, int count, MPI_Request* requests, int* completed,
                            int* indices, MPI_Status* statuses);

/// Persistent requests are made natively, in a phase or not. What is needed to start them otherwise is kept
/// here.
namespace persistent {

/// An operation of the library that replaces the native start of a request.
class PersistentOperation {
public:
  PersistentOperation() = default;
  virtual ~PersistentOperation() = default;
  PersistentOperation(const PersistentOperation&) = delete;
  PersistentOperation& operator=(const PersistentOperation&) = delete;

  /// Does what MPI_Start does, for team::alone() outside of phases. Returns nothing if MPI is to do that.
  /// The request keeps the communicator, which the user may have freed.
  virtual std::optional<int> start(team::Member& member, MPI_Request& request) const = 0;

  /// Returns whether the request, when it is started natively, receives.
  virtual bool receives() const noexcept { return false; }

  /// Returns whether MPI has to be told nothing of an inactive request until MPI itself has started it once:
  /// quirk unstarted_never_complete.
  virtual bool is_collective() const noexcept { return false; }

  /// Notes that MPI starts the request.
  void set_started_by_mpi() const noexcept { started_by_mpi_.store(true, std::memory_order_relaxed); }
  bool started_by_mpi() const noexcept { return started_by_mpi_.load(std::memory_order_relaxed); }

private:
  // It is set permanently by the thread that starts the request. Relaxed: a thread that completes the request
  // is that thread, or has synchronised with it.
  mutable std::atomic<bool> started_by_mpi_{false};
};

/// What requests are to do.
using Kept = std::map<MPI_Request, std::shared_ptr<const PersistentOperation>>;

/// Makes the entry of an operation. Throws std::bad_alloc.
Kept::node_type entry_of(std::shared_ptr<const PersistentOperation> operation);

/// Keeps what `request` is to do.
void keep(MPI_Request request, Kept::node_type entry) noexcept;

/// Does both.
void keep(MPI_Request request, std::shared_ptr<const PersistentOperation> operation);

/// Forgets all requests, before MPI ends.
void forget_all() noexcept;

/// Keeps what `request` is to do: a send of the mode that `start` starts, or a receive.
void keep_send(MPI_Request request, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
               int destination, int tag, MPI_Comm comm);
/// Makes a send of what functions of the program pack, with `init`, and keeps what it is to do. Returns MPI's
/// code; throws MpiError.
int make_packed_send(Start init, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
                     int destination, int tag, MPI_Comm comm, MPI_Request* request);
void keep_receive(MPI_Request request, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm);

/// The collectives that are kept.
inline constinit RequestNames collectives;

/// Returns whether a request that has no operation under way is inactive, and MPI does not know it.
bool is_unknown_to_mpi(const MPI_Request& request);

/// Forgets a request that is about to be freed.
void forget(MPI_Request request);

/// Notes that MPI has made a request, which may need it to be called until the user frees what is inactive.
/// Any thread may call it; without memory the request counts permanently.
void begin_lasting(MPI_Request request, bool is_collective) noexcept;

/// Forgets a request that the user frees, for which MPI may still receive. What is under way in MPI counts
/// permanently, since nobody learns when it has finished. Returns whether MPI alone has the request, which is
/// not persistent, and has finished it: once freed, it counts no more.
bool release(MPI_Request request);

/// Whether there is no persistent receive, and whether all are inactive or over, which MPI is asked.
bool no_receives();
bool receives_over();

/// Does what MPI_Start does, for team::alone() outside of phases. Returns nothing if MPI is to do that.
std::optional<int> start(team::Member& member, MPI_Request* request);

/// Does what MPI_Startall does, the same way.
std::optional<int> startall(team::Member& member, int count, MPI_Request* requests);

} // namespace persistent

} // namespace helper::message

// For an MPI that sends a partitioned message when its last partition is ready: quirk
// partitions_wait_for_last. Others send partitions as they become ready, or have not been measured.
#ifdef MPI_HELPER_PARTITIONED

/// Partitioned requests are made natively, too. What goes of them by itself, as soon as it is ready, is known
/// here.
namespace helper::message::partitioned {

/// Whether something may go by itself as far as this process is concerned.
bool can_be_carried();

/// Begins. Nothing goes by itself unless `carries`, which is the same at all processes.
void start(bool carries) noexcept;

/// Ends: MPI is called no more.
void stop() noexcept;

/// The arguments of MPI_Psend_init and MPI_Precv_init.
struct Arguments {
  bool is_send;
  const void* buffer; ///< where a receive stores
  int partitions;
  MPI_Count count;
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm comm;
  MPI_Info info;
};

/// A request is made while this lives, and what other threads make does not come in between: MPI matches
/// requests in the order in which they are made. The sender decides whether MPI is to carry the message,
/// which it does outside of phases.
class MakingPartitioned {
public:
  /// Makes what is to be there before MPI makes the request. Is called once.
  void begin(const Arguments& call, bool is_in_phase);

  /// Keeps what is to be done for the request that MPI has made. Is called once at most.
  void keep(MPI_Request request) noexcept;

private:
  std::unique_lock<std::recursive_mutex> lock_; // of what is common to both sides, if there is anything
  std::shared_ptr<const persistent::PersistentOperation> made_;
  persistent::Kept::node_type entry_;
};

/// Do what MPI_Pready, MPI_Parrived and so on do, for team::alone() outside of phases.
std::optional<int> pready(team::Member& member, int partition, MPI_Request request);
std::optional<int> pready_range(team::Member& member, int low, int high, MPI_Request request);
std::optional<int> pready_list(team::Member& member, int length, const int* partitions, MPI_Request request);
std::optional<int> parrived(team::Member& member, MPI_Request request, int partition, int* flag);

} // namespace helper::message::partitioned

#endif
