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
/// A function that returns an optional does what the MPI function of the same name does (MPI-4.0, chapter 3).
/// `member` is the calling thread; the other arguments are those of the MPI function. If the caller must call
/// native MPI instead, the function does nothing and returns nothing. A function that returns an int calls
/// native MPI itself. The thread that called MPI calls these functions. They also accept native requests.
namespace helper::message {

/// An MPI function that starts a non-blocking send. Each mode has one.
using Start = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

inline constexpr Start standard = PMPI_Isend;
inline constexpr Start synchronous = PMPI_Issend;
inline constexpr Start ready = PMPI_Irsend;

/// MPI_Init calls this after the arena has been made; also after an earlier stop(). Collective over
/// MPI_COMM_WORLD. Unless `announce`, native MPI sends all messages from and to this process.
void start(bool announce);

/// Advances messages under way, as one of Hooks::background.
bool attend(team::Member& member) noexcept;

/// MPI_Finalize calls this. Collective over MPI_COMM_WORLD. Returns when no process has messages in flight.
void stop();

/// From now on, threads outside phases also receive, complete and probe with the functions below. Any thread
/// may call this. The first call must come before other processes announce messages to this process.
void act_outside() noexcept;

namespace detail {
// act_outside() sets this flag; stop() clears it. A thread that receives an announcement sees the flag set:
// the sender announces only after it has seen this process ready, and MPI synchronises the receiver with the
// sender. Sequentially consistent: one thread counts a receive and then reads the flag. Another sets the flag
// and then reads the count (peers::expect_rts(), peers::be_ready()). At least one sees the other's write.
inline constinit std::atomic<bool> acts_outside{false};
} // namespace detail

inline bool acts_outside() noexcept {
  return detail::acts_outside.load(std::memory_order_seq_cst);
}

/// Returns whether another thread may call act_outside() while this thread receives natively. If so, this
/// thread must count the receive as a request before it reads acts_outside(), both sequentially consistent.
inline bool counts_receives() noexcept {
  return ranks::thread_level() == MPI_THREAD_MULTIPLE;
}

/// Returns how many bytes messages use at the beginning of a part of the arena that has `bytes` bytes.
std::size_t arena_share(std::size_t bytes) noexcept;

/// Returns how many bytes of arena_share() are reserved when the arena is made. `processes`: on the node.
std::size_t arena_at_once(std::size_t processes) noexcept;

/// Returns whether the data are valid, and non-contiguous enough for the team to pack or unpack them. A
/// message of such data is announced if it is large enough and nothing else prevents that.
bool is_scattered(const void* buffer, MPI_Count count, MPI_Datatype type);

/// Returns how many bytes of non-contiguous data the team must still pack or unpack for these requests. A
/// receive whose message has not arrived counts with the size of its buffer.
std::size_t bytes_left(int count, const MPI_Request* requests);

/// Does a blocking send. `start` is the non-blocking function of its mode. Stall reports name `function`.
std::optional<int> send(team::Member& member, Start start, std::string_view function, const void* buffer,
                        MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm);

std::optional<int> recv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int source,
                        int tag, MPI_Comm comm, MPI_Status* status);

/// These are the non-blocking forms of send() and recv().
std::optional<int> isend(team::Member& member, Start start, const void* buffer, MPI_Count count,
                         MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request);

std::optional<int> irecv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int source,
                         int tag, MPI_Comm comm, MPI_Request* request);

/// Receive messages that a probe has matched.
std::optional<int> mrecv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                         MPI_Message* message, MPI_Status* status);
std::optional<int> imrecv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                          MPI_Message* message, MPI_Request* request);

/// These send and receive in one call.
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

/// Returns whether the library sees all MPI calls of the program. The shared library does, since it also
/// replaces PMPI_X. The static library misses some calls of Fortran programs.
bool sees_all_calls() noexcept;

/// Hands to MPI the announced data for which receivers may wait. Call this before a call that blocks in MPI.
void rescue() noexcept;

/// A member calls this before it leaves its phase. Waits in MPI until no other process waits for an operation
/// that the thread has started. At MPI_THREAD_SERIALIZED returns immediately: a send was handed to MPI when
/// it started, and a receive continues only when a thread completes its request.
void settle(team::Member& member);

/// These complete requests. While they wait, the thread runs chunks.
std::optional<int> wait(team::Member& member, MPI_Request* request, MPI_Status* status);
std::optional<int> waitall(team::Member& member, int count, MPI_Request* requests, MPI_Status* statuses);
/// Does what waitall() does, also if all requests are native: waitall() then returns nothing.
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

/// MPI makes persistent requests. These functions keep what the library needs to start such a request itself.
namespace persistent {

/// An operation of the library that replaces the native start of a persistent request.
class PersistentOperation {
public:
  virtual ~PersistentOperation() = default;

  /// Does what MPI_Start does. Outside phases `member` is team::alone(). Returns nothing if MPI must start
  /// the request. The user may have freed the communicator: the request keeps it alive.
  virtual std::optional<int> start(team::Member& member, MPI_Request& request) const = 0;

  /// Returns whether MPI posts a receive when it starts the request.
  virtual bool receives() const noexcept { return false; }

  /// Returns whether MPI must not see the request before MPI first starts it: quirk unstarted_never_complete.
  virtual bool is_collective() const noexcept { return false; }

  void set_started_by_mpi() const noexcept { started_by_mpi_.store(true, std::memory_order_relaxed); }
  bool started_by_mpi() const noexcept { return started_by_mpi_.load(std::memory_order_relaxed); }

private:
  // Set permanently by the thread that starts the request. Relaxed: the thread that completes the request is
  // the same thread or has synchronised with it.
  mutable std::atomic<bool> started_by_mpi_{false};
};

/// The operations of persistent requests.
using Kept = std::map<MPI_Request, std::shared_ptr<const PersistentOperation>>;

/// Allocates the entry that keep() needs for the operation. Throws std::bad_alloc.
Kept::node_type entry_of(std::shared_ptr<const PersistentOperation> operation);

/// Keeps the operation in `entry`, which entry_of() has allocated, for `request`.
void keep(MPI_Request request, Kept::node_type entry) noexcept;

/// Allocates the entry and keeps the operation of `request`. Throws std::bad_alloc.
void keep(MPI_Request request, std::shared_ptr<const PersistentOperation> operation);

/// Forgets all requests, before MPI ends.
void forget_all() noexcept;

/// Keeps an operation for a persistent send that may be announced. `start`: the send function of its mode.
void keep_send(MPI_Request request, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
               int destination, int tag, MPI_Comm comm);
/// Makes a persistent send with `init`, such as PMPI_Send_init, and keeps its operation. The datatype has
/// pack functions of the program. Returns MPI's code; throws MpiError.
int make_packed_send(Start init, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
                     int destination, int tag, MPI_Comm comm, MPI_Request* request);
void keep_receive(MPI_Request request, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm);

/// The persistent collective requests that have an operation.
inline constinit RequestNames collectives;

/// Returns whether the request is collective and MPI has never started it. Then MPI must not see it.
bool is_unknown_to_mpi(const MPI_Request& request);

/// Forgets the operation of a request that the caller will free.
void forget(MPI_Request request);

/// Counts a new persistent request in shm::traffic: MPI may have to make progress for it. The count ends when
/// the user frees the inactive request, but never if memory is short now. Any thread may call this.
void begin_lasting(MPI_Request request, bool is_collective) noexcept;

/// Forgets a request that the user is about to free. If MPI has not completed the request, shm::traffic
/// counts it permanently, since nobody learns when it completes. Returns true if the caller must end the
/// count: for a native request that is not persistent and that MPI has completed.
bool release(MPI_Request request);

/// no_receives(): no persistent receive is kept. receives_over(): MPI says that each is inactive or complete.
bool no_receives();
bool receives_over();

/// Does what MPI_Start does; `member` is team::alone() outside phases. Returns nothing if MPI must start it.
std::optional<int> start(team::Member& member, MPI_Request* request);

/// Does what MPI_Startall does; `member` is team::alone() outside phases.
std::optional<int> startall(team::Member& member, int count, MPI_Request* requests);

} // namespace persistent

} // namespace helper::message

// For an MPI that sends a partitioned message when its last partition is ready: quirk
// partitions_wait_for_last. Other MPIs send partitions as they become ready, or have not been measured.
#ifdef MPI_HELPER_PARTITIONED

/// MPI makes partitioned requests. The library sends each unit, a group of partitions, once these are ready.
namespace helper::message::partitioned {

/// Returns whether units are possible and useful: the library sees all calls, and this MPI delays partitions.
bool can_be_carried();

/// MPI_Init calls this. Units are sent only if `carries` is true. All processes pass the same value.
void start(bool carries) noexcept;

/// MPI_Finalize calls this. Afterwards these functions do not call MPI.
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

/// From begin() to keep() no other thread makes a request that may have units, since MPI matches requests in
/// the order of their making. The sender decides who sends the message: MPI or, in a phase, the library.
class MakingPartitioned {
public:
  /// Makes what must exist before MPI makes the request. `is_in_phase`: the caller is. Call it once.
  void begin(const Arguments& call, bool is_in_phase);

  /// Keeps the operation of the request that MPI has made. Call it at most once.
  void keep(MPI_Request request) noexcept;

private:
  std::unique_lock<std::recursive_mutex> lock_; // held if the request may have units
  std::shared_ptr<const persistent::PersistentOperation> made_;
  persistent::Kept::node_type entry_;
};

/// These do what the MPI functions of these names do. Outside phases `member` is team::alone().
std::optional<int> pready(team::Member& member, int partition, MPI_Request request);
std::optional<int> pready_range(team::Member& member, int low, int high, MPI_Request request);
std::optional<int> pready_list(team::Member& member, int length, const int* partitions, MPI_Request request);
std::optional<int> parrived(team::Member& member, MPI_Request request, int partition, int* flag);

} // namespace helper::message::partitioned

#endif
