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
/// (MPI-4.0, chapter 3), after the member. They return nothing, having done nothing, if the caller must call
/// native MPI. Functions that return a code call native MPI themselves. The thread that called MPI calls
/// them. Functions of requests accept requests that these functions have started, and native ones.
namespace helper::message {

/// The non-blocking form of a send in some mode, with the arguments of the MPI function.
using Start = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/// Functions that start a send of each mode.
inline constexpr Start standard = PMPI_Isend;
inline constexpr Start synchronous = PMPI_Issend;
inline constexpr Start ready = PMPI_Irsend;

/// Starts, after the arena has been made. Communicates over MPI_COMM_WORLD. May be called again after stop().
/// Unless `announce`, native MPI sends all messages from and to this process.
void start(bool announce);

/// Stops, before MPI_Finalize. Collective over MPI_COMM_WORLD.
void stop();

/// From now on threads receive, complete and probe with the functions below outside phases, too. Any thread
/// calls it when this process will have phases, before other processes can announce anything to it.
void act_outside() noexcept;

namespace detail {
// Set by act_outside(), until stop(). A thread that receives a later announcement has synchronised with its
// sender through MPI, and the sender with the thread of this process that has shown that it is ready.
// Sequentially consistent: one thread counts a receive and then reads this; another sets this and then counts
// the requests (peers::be_ready()). One of them sees the other's write.
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

/// Returns how much of an arena of `bytes` bytes messages use, from its beginning.
std::size_t arena_share(std::size_t bytes) noexcept;

/// Returns how much of that must be allocated at the start, with `processes` processes on the node.
std::size_t arena_at_once(std::size_t processes) noexcept;

/// Returns whether data are scattered enough for the team to pack or unpack them, if MPI accepts them. If
/// there are enough of them, the message is announced, unless something else prevents that.
bool is_scattered(const void* buffer, MPI_Count count, MPI_Datatype type);

/// Returns the bytes of non-contiguous data that the team still has to pack and unpack for these requests.
/// For a receive whose message has not arrived, these are all bytes that fit.
std::size_t bytes_left(int count, const MPI_Request* requests);

/// Does what the blocking send does whose non-blocking form is `start`. Stall reports name `function`.
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

/// Returns whether the library sees all MPI calls of the program: the shared library does, since it replaces
/// PMPI_X too. The static one does not see all calls of Fortran programs.
bool sees_all_calls() noexcept;

/// Hands data that other processes may wait for to MPI, before a call that blocks there.
void rescue() noexcept;

/// Returns when no other process depends on the member for a message, before it leaves its phase. Calls MPI
/// only if one depends on an operation that the thread has started, and never if threads take turns in MPI:
/// then a send is complete once started, and a receive waits for the thread that completes it.
void settle(team::Member& member);

/// Complete requests, and lend the member while they wait.
std::optional<int> wait(team::Member& member, MPI_Request* request, MPI_Status* status);
std::optional<int> waitall(team::Member& member, int count, MPI_Request* requests, MPI_Status* statuses);
/// Does what waitall() does, even if all requests are native.
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

/// MPI makes persistent requests, in a phase or not. This keeps what the library needs to start them itself.
namespace persistent {

/// An operation of the library that replaces the native start of a persistent request.
class PersistentOperation {
public:
  virtual ~PersistentOperation() = default;

  /// Does what MPI_Start does, for team::alone() outside phases. Returns nothing if MPI must start the
  /// request. The request keeps the communicator, which the user may have freed.
  virtual std::optional<int> start(team::Member& member, MPI_Request& request) const = 0;

  /// Returns whether the request receives when it is started natively.
  virtual bool receives() const noexcept { return false; }

  /// Returns whether MPI must not see the request before it has started it: quirk unstarted_never_complete.
  virtual bool is_collective() const noexcept { return false; }

  /// Notes that MPI starts the request.
  void set_started_by_mpi() const noexcept { started_by_mpi_.store(true, std::memory_order_relaxed); }
  bool started_by_mpi() const noexcept { return started_by_mpi_.load(std::memory_order_relaxed); }

private:
  // Set permanently by the thread that starts the request. Relaxed: a thread that completes the request is
  // that thread, or has synchronised with it.
  mutable std::atomic<bool> started_by_mpi_{false};
};

/// The operations of persistent requests.
using Kept = std::map<MPI_Request, std::shared_ptr<const PersistentOperation>>;

/// Makes the entry of an operation. Throws std::bad_alloc.
Kept::node_type entry_of(std::shared_ptr<const PersistentOperation> operation);

/// Keeps the operation of `request`.
void keep(MPI_Request request, Kept::node_type entry) noexcept;

/// Does both.
void keep(MPI_Request request, std::shared_ptr<const PersistentOperation> operation);

/// Forgets all requests, before MPI ends.
void forget_all() noexcept;

/// Keeps the operation of `request`: a send of the mode that `start` starts, or a receive.
void keep_send(MPI_Request request, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
               int destination, int tag, MPI_Comm comm);
/// Makes a packed send with `init`, and keeps its operation. Returns MPI's code; throws MpiError.
int make_packed_send(Start init, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
                     int destination, int tag, MPI_Comm comm, MPI_Request* request);
void keep_receive(MPI_Request request, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm);

/// The persistent collective requests that have an operation.
inline constinit RequestNames collectives;

/// Returns whether a request that has no operation in flight is inactive, and MPI does not know it.
bool is_unknown_to_mpi(const MPI_Request& request);

/// Forgets a request that the caller will free.
void forget(MPI_Request request);

/// Notes that MPI has made a request, which may need MPI calls until the user frees it inactive. Any thread
/// may call it; if memory is short the request counts permanently.
void begin_lasting(MPI_Request request, bool is_collective) noexcept;

/// Forgets a request that the user frees, for which MPI may still receive. A transfer in flight in MPI counts
/// permanently, since nobody learns when it has finished. Returns whether only MPI has the request, which is
/// not persistent, and has finished it: then it no longer counts once it is freed.
bool release(MPI_Request request);

/// Return whether there is no persistent receive, and whether all are inactive or complete for MPI.
bool no_receives();
bool receives_over();

/// Does what MPI_Start does, for team::alone() outside phases. Returns nothing if MPI must do it.
std::optional<int> start(team::Member& member, MPI_Request* request);

/// Does what MPI_Startall does, likewise.
std::optional<int> startall(team::Member& member, int count, MPI_Request* requests);

} // namespace persistent

} // namespace helper::message

// For an MPI that sends a partitioned message when its last partition is ready: quirk
// partitions_wait_for_last. Other MPIs send partitions as they become ready, or have not been measured.
#ifdef MPI_HELPER_PARTITIONED

/// Partitioned requests are made natively, too. The library sends units of them as soon as they are ready.
namespace helper::message::partitioned {

/// Returns whether this process may send or receive units.
bool can_be_carried();

/// Starts. No units are sent unless `carries`, which is equal at all processes.
void start(bool carries) noexcept;

/// Stops: MPI is not called any more.
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

/// While this object exists no other thread makes a request: MPI matches requests in the order in which they
/// are made. The sender decides whether MPI sends the message; outside phases it does.
class MakingPartitioned {
public:
  /// Makes what must exist before MPI makes the request. Call it once.
  void begin(const Arguments& call, bool is_in_phase);

  /// Keeps the operation of the request that MPI has made. Call it at most once.
  void keep(MPI_Request request) noexcept;

private:
  std::unique_lock<std::recursive_mutex> lock_; // of what is common to both sides, if there is anything
  std::shared_ptr<const persistent::PersistentOperation> made_;
  persistent::Kept::node_type entry_;
};

/// These do what MPI_Pready, MPI_Parrived and so on do, for team::alone() outside phases.
std::optional<int> pready(team::Member& member, int partition, MPI_Request request);
std::optional<int> pready_range(team::Member& member, int low, int high, MPI_Request request);
std::optional<int> pready_list(team::Member& member, int length, const int* partitions, MPI_Request request);
std::optional<int> parrived(team::Member& member, MPI_Request request, int partition, int* flag);

} // namespace helper::message::partitioned

#endif
