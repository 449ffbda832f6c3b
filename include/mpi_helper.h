/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/** @file
 * Helper teams for MPI: the C interface.
 *
 * A *team* is a set of threads of one process. Between JOIN and LEAVE (a *phase*) the communication that any
 * member starts (it is then the *primary*) is packed, reduced, copied and unpacked by every member that is
 * blocked in LEAVE, FENCE or a blocking MPI call. See the MPI-3 Hybrid working group's proposal "Support of
 * horizontal parallelism (a.k.a. Helper Threads)", V0.7, July 2010.
 *
 * All functions may be called by any thread at every MPI thread level, MPI_THREAD_SINGLE included, between
 * MPI_Init and MPI_Finalize, or while a session is open. What a member communicates within a phase must still
 * respect the thread level.
 * All participants of a collective operation must be in a phase, or none (proposal, "Usage and Examples").
 *
 * Every function returns MPI_SUCCESS or an error code. Errors are first given to the error handler of
 * MPI_COMM_WORLD, if the program has called MPI_Init; MPI_Error_class and MPI_Error_string understand the
 * codes. Where MPI is not initialised there is no handler to call, and MPI_ERR_OTHER is returned.
 */
#ifndef MPI_HELPER_H
#define MPI_HELPER_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup helper_version Version
 *  @{ */

/** The first number of this header's version. docs/versions.md says what may change between versions. */
#define MPIX_HELPER_VERSION_MAJOR 0
/** The second number of this header's version. */
#define MPIX_HELPER_VERSION_MINOR 9
/** The third number of this header's version. */
#define MPIX_HELPER_VERSION_PATCH 0

/**
 * Returns the version of the library that the program runs with, which may be newer than its header. Local
 * and non-blocking; any thread, also before MPI_Init and after MPI_Finalize. A pointer may be NULL. It does
 * not fail.
 */
int MPIX_Helper_version(int* major, int* minor, int* patch);

/** @} */

/** @defgroup helper_teams Helper teams: create, join, leave
 *  @{ */

/** A thread's handle to a team. Each member has its own, and only the thread that created it may use it. */
typedef int MPI_Helper_team;

/** The value of a handle that names no team; what MPI_Helper_team_free leaves behind. */
#define MPI_HELPER_TEAM_NULL ((MPI_Helper_team)0)

/**
 * Makes the calling thread a member of the team `team_id`.
 *
 * Local and non-blocking. The team is complete when `team_size` threads have made the call; a member may JOIN
 * before that. An id may be used again when the team is freed: a thread that has freed its handle starts the
 * id's next team even while slower members still hold theirs.
 *
 * @param team_id    any integer, the same at all members, unique among the teams of this process
 * @param team_size  number of members, at least 1, the same at all members
 * @param team       the handle, for use by the calling thread only
 *
 * Errors: MPI_ERR_ARG if `team_size` < 1, differs from the other members', or `team` is NULL; MPI_ERR_OTHER
 * if this thread is a member already or the team is complete.
 */
int MPI_Helper_team_create(int team_id, int team_size, MPI_Helper_team* team);

/**
 * As MPI_Helper_team_create, with hints. `info` may be MPI_INFO_NULL; keys that are not known are ignored.
 *
 * - `mpi_helper_placement`: `none`, `compact`, `scatter`, `numa`, or an hwloc cpuset list such as `0-3,8`:
 * which processing unit the calling thread is bound to until it frees its handle. Overrides
 * MPI_HELPER_PLACEMENT. A thread that is bound already, as by OMP_PROC_BIND or OMP_PLACES, or that the system
 * does not bind, stays where it is; the library prints that once per node.
 *
 * Further errors: MPI_ERR_INFO_VALUE if the value of a known key is malformed.
 */
int MPIX_Helper_team_create_info(int team_id, int team_size, MPI_Info info, MPI_Helper_team* team);

/**
 * Ends the calling thread's membership and sets `*team` to MPI_HELPER_TEAM_NULL. Local and non-blocking. A
 * binding that CREATE made is undone. A membership that is not freed ends with its thread, but for that of
 * the main thread, which destructors of static objects may still use.
 *
 * Errors: MPI_ERR_ARG if `*team` is not a handle of the calling thread; MPI_ERR_OTHER while joined.
 */
int MPI_Helper_team_free(MPI_Helper_team* team);

/**
 * Begins a phase: from now on the calling thread's communication may be carried by all blocked members, and
 * the thread lends itself whenever it blocks. Non-blocking, does not synchronise. A commitment to call LEAVE.
 *
 * Errors: MPI_ERR_ARG if `team` is not a handle of the calling thread; MPI_ERR_OTHER if the thread is in a
 * phase already, of this team or another, or if a member is gone (see LEAVE).
 */
int MPI_Helper_join(MPI_Helper_team team);

/**
 * Ends the calling thread's phase. Blocks, working for the others, until every member has called LEAVE or
 * FENCE. Communication that the thread started must have been completed by the thread (proposal,
 * MPI_HELPER_LEAVE).
 *
 * Errors: MPI_ERR_ARG if `team` is not a handle of the calling thread; MPI_ERR_OTHER if it is not in a phase
 * of this team, or if a member freed its handle or ended its thread instead of coming; the phase has then
 * ended for the caller all the same.
 */
int MPI_Helper_leave(MPI_Helper_team team);

/** LEAVE and JOIN in one; one member may FENCE where another LEAVEs. Errors: as for MPI_Helper_leave. */
int MPI_Helper_fence(MPI_Helper_team team);

/** @} */

/**
 * @defgroup helper_collectives Hybrid collectives: all members, all ranks
 *
 * In one call all members of a team take part, each with buffers of its own, at every
 * rank of `comm`. To be called in a phase, by all members of the team with the same arguments but for the
 * buffers, as one MPI call by one of them: at MPI_THREAD_FUNNELED and below the main thread must be a member.
 * Teams may have different sizes at different ranks. Blocks, working for the team. The members' data are
 * combined and copied by all members that wait.
 *
 * Errors, at all members: MPI_ERR_ARG if the members call different operations or their arguments differ;
 * MPI_ERR_COMM if `comm` is an inter-communicator; those of the MPI function of that name. They are given to
 * the error handler of `comm` once for each member. As errors of team functions: MPI_ERR_ARG if `team` is not
 * a handle of the calling thread; MPI_ERR_OTHER if the thread is not in a phase of this team, if a member
 * cannot come since it has called LEAVE or FENCE, has freed its handle or ended its thread, or if no member
 * may call MPI. Source: MPI Forum issue 546.
 * @{
 */

/**
 * Reduces over the contributions of all members of all ranks, in the order of ranks and within a rank of the
 * members' CREATE, with the result to every member.
 *
 * @param team     the team of the caller's phase
 * @param sendbuf  the member's contribution, or MPI_IN_PLACE if that is in `recvbuf`
 * @param recvbuf  for the result; the member's own, or, but for MPI_IN_PLACE, one that several members share
 * @param count, datatype, op, comm  as for MPI_Allreduce. Members' datatypes may differ in their layouts
 */
int MPIX_Helper_allreduce(MPI_Helper_team team, const void* sendbuf, void* recvbuf, int count,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/**
 * Reduces as MPIX_Helper_allreduce does, but each member gets a block of the result: in the order of ranks,
 * and within a rank of the members' CREATE. The ranks first tell one another how many members each has.
 *
 * @param team       the team of the caller's phase
 * @param sendbuf    the member's contribution, a block of `recvcount` elements for each member of each rank;
 *                   or MPI_IN_PLACE if that is in `recvbuf`
 * @param recvbuf    the member's own, for its block
 * @param recvcount, datatype, op, comm  as for MPI_Reduce_scatter_block. Members' datatypes may differ in
 * their layouts
 *
 * Errors: as above, and MPI_ERR_COUNT if an int cannot count the elements of all blocks.
 */
int MPIX_Helper_reduce_scatter_block(MPI_Helper_team team, const void* sendbuf, void* recvbuf, int recvcount,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/**
 * Collects the contributions of all members of all ranks, for every member, in the order of ranks and within
 * a rank of the members' CREATE. The ranks first tell one another how many members each has. Where the
 * threads of a rank can read one copy, let them share `recvbuf`.
 *
 * @param team     the team of the caller's phase
 * @param sendbuf  the member's contribution, or MPI_IN_PLACE if that is in its block of `recvbuf`
 * @param recvbuf  for a block of each member of each rank; the member's own, or one that several members
 * share
 * @param count, datatype  of a block; datatypes may differ in their layouts
 * @param comm     as for MPI_Allgather
 *
 * Errors: as for MPIX_Helper_reduce_scatter_block.
 */
int MPIX_Helper_allgather(MPI_Helper_team team, const void* sendbuf, void* recvbuf, int count,
                          MPI_Datatype datatype, MPI_Comm comm);

/**
 * Broadcasts the data of one member of the rank `root`, the first that called CREATE, to every other member
 * of every rank, those of `root` included.
 *
 * @param team    the team of the caller's phase
 * @param buffer  the member's own, or one that several members share
 * @param count, datatype, root, comm  as for MPI_Bcast. `count` and `datatype` may differ as they may there
 */
int MPIX_Helper_bcast(MPI_Helper_team team, void* buffer, int count, MPI_Datatype datatype, int root,
                      MPI_Comm comm);

/** Returns when all members of all ranks of `comm` have called it. */
int MPIX_Helper_barrier(MPI_Helper_team team, MPI_Comm comm);

/** @} */

/** @defgroup helper_loops Loops that the members share
 *  @{ */

/** What MPIX_Helper_for calls for the indices from `begin` up to, but not including, `end`. */
typedef void MPIX_Helper_for_function(MPI_Count begin, MPI_Count end, void* data);

/**
 * Runs `function` for the range from `begin` up to, but not including, `end`: in pieces, on all members that
 * are blocked in LEAVE, FENCE or a blocking MPI call, and on the caller. Returns when all pieces are done. To
 * be called in a phase, by any member and by several at once, between MPI calls. It calls no MPI, so every
 * thread may call it at every thread level.
 *
 * `function` computes in the caller's floating-point environment, and the caller gets the floating-point
 * exceptions. Pieces may run in any order and must not wait for one another. A blocked member polls MPI only
 * between pieces, so keep them short. `function` must not call MPI, leave by longjmp, or call functions of
 * this library but this one, which then runs the whole range in the calling thread, whatever its `team`.
 *
 * In C++ `function` may throw. The caller throws the first exception again after pieces under way have
 * ended; pieces that have not begun are left out.
 *
 * @param team        the team of the caller's phase
 * @param begin, end  the range. Indices are MPI_Count, as the large counts of MPI 4
 * @param grain       the length of a piece is a multiple of it, but for the last piece
 * @param function    runs a piece; in Fortran a procedure with BIND(C)
 * @param data        given to `function`
 *
 * Errors: MPI_ERR_ARG if `end` is less than `begin`, `grain` is less than 1, `function` is NULL, or `team` is
 * not a handle of the calling thread; MPI_ERR_OTHER if the thread is not in a phase of this team, or a piece
 * was left by an exception of another language than C++.
 */
int MPIX_Helper_for(MPI_Helper_team team, MPI_Count begin, MPI_Count end, MPI_Count grain,
                    MPIX_Helper_for_function* function, void* data);

/** @} */

/** @defgroup helper_packing Datatypes that functions of the program pack
 *  @{ */

/**
 * Copies the bytes from `offset` up to `offset` + `length` of a packed message to `target`. `buffer` is that
 * of the MPI call. Messages are cut at multiples of 16 bytes, so between numbers; `target` is aligned to 8.
 */
typedef void MPIX_Helper_pack_function(const void* buffer, MPI_Count offset, MPI_Count length, void* target,
                                       void* data);
/** Copies the bytes of a message at `source` to where they belong. Ranges are cut in the same way. */
typedef void MPIX_Helper_unpack_function(void* buffer, MPI_Count offset, MPI_Count length, const void* source,
                                         void* data);

/**
 * Makes a datatype that functions of the program pack and unpack. In a phase all members that are blocked
 * run the functions, for pieces of a message while others travel. Otherwise the library packs all into one
 * buffer, which MPI sends. On the wire it is `bytes` times MPI_BYTE, so the other side may pass any type of
 * as many bytes. Local and non-blocking; any thread, in a phase or not. MPI_Type_free frees the type.
 * MPI_Type_commit does nothing.
 *
 * These calls take it: MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Recv, their non-blocking and persistent forms,
 * MPI_Bsend, MPI_Mrecv, MPI_Imrecv, MPI_Sendrecv, MPI_Isendrecv, MPI_Sendrecv_replace, MPI_Isendrecv_replace,
 * MPI_Bcast, MPI_Alltoallw, all neighbourhood collectives, also non-blocking and persistent, and the forms of
 * these calls for large counts. For other calls that move data it is a type that has not been committed: an
 * error of class MPI_ERR_TYPE. It cannot be duplicated or be part of another datatype. In MPI_Bsend,
 * MPI_Alltoallw and neighbourhood collectives all members pack, and nothing travels before that is done. If
 * there is no memory for that, the rank takes part anyway and returns MPI_ERR_NO_MEM. What it sends is then
 * wrong, and too long for the receivers: some MPIs tell them MPI_ERR_TRUNCATE.
 *
 * The functions are called for ranges of a message in any order, by several threads at once, and more than
 * once for a range. A message of several elements has `bytes` bytes for each; `buffer` is the same for
 * all of them. The extent of the type is `bytes`, by which a collective finds the `buffer` of each block. The
 * functions must not call MPI, throw, or leave by longjmp.
 *
 * @param pack, unpack  the functions; in Fortran procedures with BIND(C)
 * @param bytes         of an element in the message, at least 0
 * @param data          given to the functions, until the type is freed and its communication is complete
 * @param type          the datatype
 *
 * Errors: MPI_ERR_ARG if `pack`, `unpack` or `type` is NULL or `bytes` is negative; MPI_ERR_OTHER where the
 * library does not take part in communication, as it says at the start of the program.
 */
int MPIX_Helper_type_create(MPIX_Helper_pack_function* pack, MPIX_Helper_unpack_function* unpack,
                            MPI_Count bytes, void* data, MPI_Datatype* type);

/** @} */

/** @defgroup helper_memory Memory that the node's ranks share
 *  @{ */

/**
 * Allocates memory that the other ranks of the node can read where it is, so that operations of teams on data
 * there need not copy them to memory that is shared: as MPI_Alloc_mem while the library is loaded, but
 * however small. Where the system does not allow that, and beyond 256 such pieces in a process, it is other
 * memory. Local and non-blocking; any thread, in a phase or not.
 *
 * @param size     bytes, at least 0
 * @param info     as for MPI_Alloc_mem
 * @param comm     the ranks that are to read it
 * @param baseptr  the address of a pointer, which is set to the memory, as for MPI_Alloc_mem
 *
 * Errors, given to the error handler of `comm`: MPI_ERR_ARG if `size` is negative or `baseptr` is NULL. To
 * that of MPI_COMM_WORLD: MPI_ERR_COMM if `comm` is MPI_COMM_NULL; those of MPI_Alloc_mem.
 */
int MPIX_Helper_alloc(MPI_Aint size, MPI_Info info, MPI_Comm comm, void* baseptr);

/**
 * Frees what MPIX_Helper_alloc has allocated; nobody may be communicating with it. Local and non-blocking;
 * any thread. Errors: those of MPI_Free_mem.
 */
int MPIX_Helper_free(void* base);

/** @} */

/** @defgroup helper_group_comm Communicators that their members alone create
 *  @{ */

/**
 * Makes a communicator that only its members create: nobody else need call, or know. Inside and outside of a
 * phase; all members must be in one, or none. Blocks until all members have come, and lends the thread in a
 * phase. Several threads may each create one at once, with different tags.
 *
 * @param comm     an intra-communicator that has all members
 * @param group    the members, in the order of the new communicator; the same at all of them
 * @param tag      of messages on `comm` that nobody else sends or may receive there meanwhile, 0
 *                 to MPI_TAG_UB
 * @param newcomm  the communicator, with the error handler of `comm` and none of its attributes; a caller
 *                 outside of `group` gets MPI_COMM_NULL at once
 *
 * Errors, given to the error handler of `comm`: MPI_ERR_COMM if it is none or an inter-communicator;
 * MPI_ERR_GROUP if `group` is MPI_GROUP_NULL or has a process that `comm` has not, or the caller is outside
 * of it and MPI_HELPER_GROUP_OUTSIDER=error; MPI_ERR_TAG; MPI_ERR_ARG if `newcomm` is NULL; those of
 * MPI_Comm_create_group. Source: Dinan et al., "Noncollective Communicator Creation in MPI", EuroMPI 2011,
 * section 5.1.
 */
int MPIX_Group_comm_create(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm);

/**
 * As MPIX_Group_comm_create, with hints, the same at all members. `info` may be MPI_INFO_NULL; keys that are
 * not known are ignored.
 *
 * - `mpi_helper_group_algorithm`: `auto`, `direct`, `recursive` or `multiway`. Overrides
 *   MPI_HELPER_GROUP_ALGORITHM.
 * - `mpi_helper_group_outsider`: `null` or `error`. Overrides MPI_HELPER_GROUP_OUTSIDER.
 *
 * Further errors: MPI_ERR_INFO_VALUE if the value of a known key is malformed.
 */
int MPIX_Group_comm_create_info(MPI_Comm comm, MPI_Group group, int tag, MPI_Info info, MPI_Comm* newcomm);

/** @} */

/**
 * @defgroup helper_sysgroup System-ranked groups
 *
 * Process groups that are a spanning tree, whose members' ranks the library assigns. A
 * member knows its neighbours in the tree and little more, so a group takes O(k) memory per process, k being
 * the tree's branching factor, and there is no limit to their number but that memory. Source: A. Langer, R.
 * Venkataraman, L. Kale, "Distributed Algorithms for Constructing Balanced Spanning Trees on System-ranked
 * Process Groups".
 *
 * A handle is good for all threads of its process. As with communicators, the members call collective
 * functions on a group in the same order, one thread at a time; threads may be at work on different groups.
 * In a phase or not: all functions may be called in both, and members need not agree about that. Waiting
 * lends a member, and data are packed, reduced, copied and unpacked by its team. The thread level must allow
 * the calls as if they were MPI's. Groups should be freed before MPI_Finalize.
 *
 * Errors go to the error handler of MPI_COMM_WORLD. All functions: MPI_ERR_ARG if the group is not a handle,
 * or a pointer that must not be is NULL.
 * @{
 */

/** A handle to a group, good for all threads of the process. */
typedef int MPIX_Sysgroup;

/** The value of a handle that names no group. */
#define MPIX_SYSGROUP_NULL ((MPIX_Sysgroup)0)

/**
 * Makes the group of all processes of `comm`. Collective over `comm`, which may be freed at
 * any time after it. The first on a communicator blocks and takes two communicators for all groups that
 * descend from it; later ones wait for neighbours alone.
 *
 * Hints, the same at all processes:
 * - `mpi_helper_branching`: the tree's k, at least 1, by default 4.
 * - `mpi_helper_layout`: `rank` (default), ranks are those in `comm`; or `node`, the processes of each node
 * are together in the tree, those of each branch neighbours by hwloc, with other ranks but for process 0.
 * With `node` the call takes memory of the order of `comm` until it returns.
 *
 * Errors: MPI_ERR_COMM if `comm` is MPI_COMM_NULL or an inter-communicator; MPI_ERR_INFO_VALUE if the value
 * of a known key is malformed; MPI_ERR_OTHER if there are too many communicators.
 */
int MPIX_Sysgroup_from_comm(MPI_Comm comm, MPI_Info info, MPIX_Sysgroup* group);

/**
 * Makes the group of those members of `parent` that pass `participate` other than 0; the others get
 * MPIX_SYSGROUP_NULL. Collective over `parent`. Blocks as long as a member needs others to find its place.
 * The tree is as deep as a full one, and no member has more than k children.
 *
 * Hints, the same at all members:
 * - `mpi_helper_branching`: k, by default that of the parent.
 * - `mpi_helper_scheme`: `balance` (default), `hash` or `centralised`, with memory of the order of the group.
 * - `mpi_helper_filler`: `leaf`, `child` or `none`: who takes the place of a member that does not participate
 * while the tree shrinks. The library chooses the child with the fewest members below it, or a leaf of the
 * largest branch. By default `leaf`, with hash `none`; balance needs another than `none`.
 * - `mpi_helper_fillers`, of the filler leaf: how many leaves each member names to its parent, at least 0. It
 * names as many as there are levels above it in any case, the fewest that always suffice. With more, leaves
 * are taken more evenly from all branches, and messages are longer. By default 0.
 * - `mpi_helper_hash`, of the scheme hash: by how many ranks of `parent` those members are moved on that
 * introduce others to one another; by default 0.
 *
 * Errors: MPI_ERR_INFO_VALUE if the value of a known key is malformed.
 */
int MPIX_Sysgroup_enroll(MPIX_Sysgroup parent, int participate, MPI_Info info, MPIX_Sysgroup* group);

/**
 * As MPIX_Sysgroup_enroll, but makes one group for each value of `color`, of the members that pass it;
 * members that pass MPI_UNDEFINED get MPIX_SYSGROUP_NULL. Up to 16 groups are made at once: an allreduce
 * finds their values, and their enrolments go on side by side.
 *
 * Further errors: MPI_ERR_ARG if `color` is negative and not MPI_UNDEFINED.
 */
int MPIX_Sysgroup_split(MPIX_Sysgroup parent, int color, MPI_Info info, MPIX_Sysgroup* group);

/** Local. Sets `*group` to MPIX_SYSGROUP_NULL; operations under way go on to their end. */
int MPIX_Sysgroup_free(MPIX_Sysgroup* group);

/** The caller's rank, from 0, which the root of the tree has. Local. */
int MPIX_Sysgroup_rank(MPIX_Sysgroup group, int* rank);

/** How many members there are. Local. */
int MPIX_Sysgroup_size(MPIX_Sysgroup group, int* size);

/** How many edges lie between the caller and the root. Local. */
int MPIX_Sysgroup_depth(MPIX_Sysgroup group, int* depth);

/** The rank of the caller's parent in the tree; MPI_PROC_NULL at the root. Local. */
int MPIX_Sysgroup_parent(MPIX_Sysgroup group, int* rank);

/**
 * How many children the caller has in the tree, and the ranks of the first `most` of them, in ascending
 * order. Local. Errors: MPI_ERR_ARG if `most` < 0.
 */
int MPIX_Sysgroup_children(MPIX_Sysgroup group, int most, int* count, int* ranks);

/**
 * Makes a communicator of the members, with their ranks, and the error handler of MPI_COMM_WORLD. Collective
 * over the group. Errors: those of MPI_Comm_create_group.
 */
int MPIX_Sysgroup_to_comm(MPIX_Sysgroup group, MPI_Comm* comm);

/**
 * @name Collective operations
 *
 * As the MPI functions of those names; the root is any member. The data travel along the tree. Reductions
 * combine in an order that depends on the tree alone, so results are the same at all members and from run to
 * run. Operations that do not commute are refused, but for MPIX_Sysgroup_scan. `count` elements of `datatype`
 * must make up the same number of basic elements at all members, and so must the blocks of a gather.
 * MPI_IN_PLACE is `sendbuf` where it is MPI's, at those who get a result.
 *
 * Errors: MPI_ERR_ROOT, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_ARG (buffers); MPI_ERR_OP if `op` does not
 * commute or is not defined for the datatype; MPI_ERR_BUFFER if `sendbuf` is `recvbuf`. A call that is
 * refused so at one member takes no part, and the others wait for it, as with MPI.
 * @{
 */
/** Returns when all members have called it. */
int MPIX_Sysgroup_barrier(MPIX_Sysgroup group);
/** From the root to all. */
int MPIX_Sysgroup_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPIX_Sysgroup group);
/** Of all contributions, to the root. */
int MPIX_Sysgroup_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         int root, MPIX_Sysgroup group);
/** Of all contributions, to all. */
int MPIX_Sysgroup_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                            MPIX_Sysgroup group);
/**
 * The blocks of all, in the order of their ranks, to the root. A member on the way has those of the members
 * behind it in its memory. `recvcount` is that of one block. Further errors: MPI_ERR_COUNT if one that is
 * sent has another size than one that is received by the same member.
 */
int MPIX_Sysgroup_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, int root, MPIX_Sysgroup group);
/** The same, to all. */
int MPIX_Sysgroup_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPIX_Sysgroup group);
/** Of the contributions of ranks 0 to the caller's, combined in this order, so `op` need not commute. */
int MPIX_Sysgroup_scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       MPIX_Sysgroup group);
/** @} */

/**
 * @name Messages by rank
 *
 * Between two members, which alone call these, one thread of each at a time for each group. Both block, the
 * sender until the receiver has begun to receive, as MPI_Ssend does; a member that waits makes progress with
 * all that it takes part in. Messages of one sender are received in the order of their sends, as far as their
 * tags allow. They are not those of MPI_Send.
 *
 * The sender's announcement, of a few words, travels along the tree; data go from one process to the other.
 * Between members that are neither neighbours, nor in a group that MPIX_Sysgroup_from_comm has made with the
 * layout `rank`, it is passed on by the members on the way while they are in a function on a group that
 * blocks, or in a phase in a function of MPI that the library waits in, which it does not in MPI_Win_fence
 * and others that block in MPI itself. A process that blocks in another MPI function delays it. A member is
 * to free the group only once no message passes by it any more: after a barrier that follows them.
 *
 * Errors: MPI_ERR_RANK if the peer is no member, or the caller itself; MPI_ERR_TAG, MPI_ERR_COUNT,
 * MPI_ERR_TYPE, MPI_ERR_ARG (buffer, status).
 * @{
 */
/** Sends to the member of rank `dest`; nothing if that is MPI_PROC_NULL. `tag` is any that is not negative.
 */
int MPIX_Sysgroup_send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                       MPIX_Sysgroup group);
/**
 * Receives from the member of rank `source`, or MPI_ANY_SOURCE, a message of that tag, or MPI_ANY_TAG;
 * nothing from MPI_PROC_NULL. `status` has the rank, the tag and the count, and may be MPI_STATUS_IGNORE.
 * Further errors: MPI_ERR_TRUNCATE if the message is larger than the buffer, which is left alone; the
 * sender's call is then over, too.
 */
int MPIX_Sysgroup_recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPIX_Sysgroup group,
                       MPI_Status* status);
/** @} */

/**
 * @name Non-blocking collective operations
 *
 * The request is MPI's: any completion function takes it, alone or with others, in a phase or not. Operations
 * on a group are carried out one after the other, a blocking one after those started before it. They get on
 * in completion functions that are given one of these requests, in every function on a group that blocks, and
 * in a phase in functions of MPI that the library waits in, which it does not in MPI_Win_fence and others
 * that block in MPI itself. A process that blocks in another MPI function delays them. Until an operation is
 * complete its datatype and its op must not be freed. Errors: as for the blocking ones.
 * @{
 */
/** MPIX_Sysgroup_barrier, not blocking. */
int MPIX_Sysgroup_ibarrier(MPIX_Sysgroup group, MPI_Request* request);
/** MPIX_Sysgroup_bcast, not blocking. */
int MPIX_Sysgroup_ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPIX_Sysgroup group,
                         MPI_Request* request);
/** MPIX_Sysgroup_reduce, not blocking. */
int MPIX_Sysgroup_ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                          int root, MPIX_Sysgroup group, MPI_Request* request);
/** MPIX_Sysgroup_allreduce, not blocking. */
int MPIX_Sysgroup_iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                             MPIX_Sysgroup group, MPI_Request* request);
/** @} */

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* MPI_HELPER_H */
