/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/** @file
 * Helper teams for MPI: the C interface.
 *
 * A *team* is a set of threads of one process. The time of a member from JOIN to LEAVE is a *phase*. A member
 * that calls MPI in a phase is the *primary* of that call. The other members help while they are blocked in
 * LEAVE, FENCE or an MPI call: they pack, reduce, copy and unpack what the primary communicates. See the
 * MPI-3 Hybrid working group's proposal "Support of horizontal parallelism (a.k.a. Helper Threads)", V0.7,
 * July 2010. CREATE, FREE, JOIN, LEAVE and FENCE are the functions MPI_Helper_team_create and so on.
 *
 * Unless its description restricts this, any thread may call a function, at every MPI thread level. MPI must
 * be initialised, or a session open. MPI calls in a phase must respect the thread level as without a team.
 * Either all participants of a collective operation are in a phase, or none (proposal, "Usage and Examples").
 *
 * Every function returns MPI_SUCCESS or an error code, which MPI_Error_class and MPI_Error_string understand.
 * Unless its description names another handler, it first calls the error handler of MPI_COMM_WORLD, if the
 * program has called MPI_Init. Before MPI is initialised it calls no handler and returns MPI_ERR_OTHER.
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
 * Returns the version of the library that the program runs with. It may be newer than the header that the
 * program was compiled with. Local and non-blocking. Any thread may call it, also before MPI_Init and after
 * MPI_Finalize. It never fails. Each pointer may be NULL.
 */
int MPIX_Helper_version(int* major, int* minor, int* patch);

/** @} */

/** @defgroup helper_teams Helper teams: create, join, leave
 *  @{ */

/** A thread's handle to a team. Each member has its own, and only the thread that created it may use it. */
typedef int MPI_Helper_team;

/** The value of a handle that names no team. MPI_Helper_team_free sets a handle to it. */
#define MPI_HELPER_TEAM_NULL ((MPI_Helper_team)0)

/**
 * Makes the calling thread a member of the team `team_id`.
 *
 * Local and non-blocking. The team is complete when `team_size` threads have called this function. A member
 * may JOIN before that. A thread that has freed its handle may call this function with the same id again. It
 * then belongs to the next team of that id, even while slower members still hold handles of the old team.
 *
 * @param team_id    any integer, the same at all members, unique among the teams of this process
 * @param team_size  number of members, at least 1, the same at all members
 * @param team       the handle, for use by the calling thread only
 *
 * Errors: MPI_ERR_ARG if `team_size` is less than 1 or differs from what another member passed, or if `team`
 * is NULL; MPI_ERR_OTHER if this thread is already a member of the team, or the team is already complete.
 */
int MPI_Helper_team_create(int team_id, int team_size, MPI_Helper_team* team);

/**
 * As MPI_Helper_team_create, with hints. `info` may be MPI_INFO_NULL. Unknown keys are ignored.
 *
 * - `mpi_helper_placement`: `none`, `compact`, `scatter`, `numa`, or an hwloc cpuset list such as `0-3,8`. It
 * selects the core, or with `numa` the NUMA node, that the calling thread is bound to until it frees its
 * handle. It overrides MPI_HELPER_PLACEMENT. A thread that the program has already bound, for example by
 * OMP_PROC_BIND or OMP_PLACES, keeps its binding. If the system refuses to bind a thread, the thread stays
 * unbound. The library prints each of these two cases once per node.
 *
 * Further errors: MPI_ERR_INFO_VALUE if the value of a known key is malformed.
 */
int MPIX_Helper_team_create_info(int team_id, int team_size, MPI_Info info, MPI_Helper_team* team);

/**
 * Ends the calling thread's membership and sets `*team` to MPI_HELPER_TEAM_NULL. Local and non-blocking. If
 * CREATE has bound the thread, the binding is undone. If a thread ends without this call, its membership ends
 * as well. The main thread keeps its membership, because destructors of static objects may still use it.
 *
 * Errors: MPI_ERR_ARG if `*team` is not a handle of the calling thread; MPI_ERR_OTHER if the thread is in a
 * phase of the team.
 */
int MPI_Helper_team_free(MPI_Helper_team* team);

/**
 * Begins a phase of the calling thread. From now on blocked members may carry what this thread communicates,
 * and this thread works for the team whenever it blocks. The call does not block and synchronises with no
 * other member. A thread that has called JOIN must call LEAVE.
 *
 * Errors: MPI_ERR_ARG if `team` is not a handle of the calling thread; MPI_ERR_OTHER if the thread is already
 * in a phase of this or another team, or if another member has freed its handle or ended its thread.
 */
int MPI_Helper_join(MPI_Helper_team team);

/**
 * Ends the calling thread's phase. Blocks until every member has called LEAVE or FENCE, and works for the
 * team meanwhile. Before this call the thread must complete the communication that it has started (proposal,
 * MPI_HELPER_LEAVE).
 *
 * Errors: MPI_ERR_ARG if `team` is not a handle of the calling thread; MPI_ERR_OTHER if the thread is not in
 * a phase of this team, or if a member has freed its handle or ended its thread instead of calling LEAVE or
 * FENCE. In that last case the caller's phase has ended anyway.
 */
int MPI_Helper_leave(MPI_Helper_team team);

/**
 * LEAVE, immediately followed by JOIN. At the end of a phase some members may FENCE and others LEAVE. Errors:
 * as for MPI_Helper_leave.
 */
int MPI_Helper_fence(MPI_Helper_team team);

/** @} */

/**
 * @defgroup helper_collectives Hybrid collectives: all members, all ranks
 *
 * At every rank of `comm`, all members of a team make the same call in a phase, each with its own buffers.
 * They must pass equal arguments, except buffers and what a function allows to differ. One member makes the
 * MPI call for all. So at MPI_THREAD_FUNNELED and below the main thread must be a member. Teams may have
 * different sizes at different ranks. The call blocks. Members that wait in it combine and copy the data of
 * the team.
 *
 * Errors at all members, given to the error handler of `comm` once for each member: MPI_ERR_ARG if the
 * members call different operations or their arguments differ; MPI_ERR_COMM if `comm` is an
 * inter-communicator; the errors of the MPI function of that name. Errors given to the error handler of
 * MPI_COMM_WORLD: MPI_ERR_ARG if `team` is not a handle of the calling thread; MPI_ERR_OTHER if the thread is
 * not in a phase of this team, if another member has called LEAVE or FENCE, freed its handle or ended its
 * thread instead, or if no member may call MPI. Source: MPI Forum issue 546.
 * @{
 */

/**
 * Reduces the contributions of all members of all ranks and gives the result to every member. Contributions
 * are combined in the order of ranks, and within a rank in the order in which the members called CREATE.
 *
 * @param team     the team of the caller's phase
 * @param sendbuf  the member's contribution, or MPI_IN_PLACE if it is in `recvbuf`
 * @param recvbuf  for the result. Several members may pass one buffer, unless they pass MPI_IN_PLACE
 * @param count, datatype, op, comm  as for MPI_Allreduce. Members' datatypes may differ in their layouts
 */
int MPIX_Helper_allreduce(MPI_Helper_team team, const void* sendbuf, void* recvbuf, int count,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/**
 * Reduces as MPIX_Helper_allreduce does, but gives each member only its block of the result. Blocks are in
 * the order of ranks, and within a rank in the order in which the members called CREATE. The ranks first tell
 * one another how many members each rank has.
 *
 * @param team       the team of the caller's phase
 * @param sendbuf    the member's contribution, with a block of `recvcount` elements for each member of each
 *                   rank; or MPI_IN_PLACE if the contribution is in `recvbuf`
 * @param recvbuf    for the member's block; no other member may pass this buffer
 * @param recvcount, datatype, op, comm  as for MPI_Reduce_scatter_block. Members' datatypes may differ in
 * their layouts
 *
 * Errors: those of all hybrid collectives, and MPI_ERR_COUNT if an int cannot count the elements of all
 * blocks.
 */
int MPIX_Helper_reduce_scatter_block(MPI_Helper_team team, const void* sendbuf, void* recvbuf, int recvcount,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/**
 * Gives every member the contributions of all members of all ranks. Blocks are in the order of ranks, and
 * within a rank in the order in which the members called CREATE. The ranks first tell one another how many
 * members each rank has. If the threads of a rank can all read one result, pass one `recvbuf`: that saves
 * copies.
 *
 * @param team     the team of the caller's phase
 * @param sendbuf  the member's contribution, or MPI_IN_PLACE if it is in the member's block of `recvbuf`
 * @param recvbuf  for a block of each member of each rank. Several members may pass one buffer
 * @param count, datatype  of a block; datatypes may differ in their layouts
 * @param comm     as for MPI_Allgather
 *
 * Errors: as for MPIX_Helper_reduce_scatter_block.
 */
int MPIX_Helper_allgather(MPI_Helper_team team, const void* sendbuf, void* recvbuf, int count,
                          MPI_Datatype datatype, MPI_Comm comm);

/**
 * Broadcasts the data of one member of the rank `root` to all other members of all ranks, including the rank
 * `root`. The source is the member of that rank that called CREATE first.
 *
 * @param team    the team of the caller's phase
 * @param buffer  the data, or memory for them. Several members may pass one buffer
 * @param count, datatype, root, comm  as for MPI_Bcast. `count` and `datatype` may differ as in MPI_Bcast
 */
int MPIX_Helper_bcast(MPI_Helper_team team, void* buffer, int count, MPI_Datatype datatype, int root,
                      MPI_Comm comm);

/** Returns when all members of all ranks of `comm` have called it. */
int MPIX_Helper_barrier(MPI_Helper_team team, MPI_Comm comm);

/** @} */

/** @defgroup helper_loops Loops that the members share
 *  @{ */

/** Runs the indices from `begin` up to, but not including, `end`. MPIX_Helper_for calls such a function. */
typedef void MPIX_Helper_for_function(MPI_Count begin, MPI_Count end, void* data);

/**
 * Calls `function` for pieces of the range from `begin` up to, but not including, `end`. The pieces run on
 * the caller and on all members that are blocked in LEAVE, FENCE or an MPI call. Returns when all pieces are
 * done. Call it in a phase, between MPI calls. Several members may call it at the same time. It calls no MPI,
 * so any member may call it at every thread level.
 *
 * `function` computes in the caller's floating-point environment, and the caller gets the floating-point
 * exceptions. Pieces may run in any order and must not wait for one another. A blocked member polls MPI only
 * between pieces, so keep them short. `function` must not call MPI or leave by longjmp. Of this library it
 * may call only MPIX_Helper_for. Such a nested call runs its whole range in the calling thread and ignores
 * `team`.
 *
 * In C++ `function` may throw. Then pieces that have not begun are left out. When the running pieces have
 * ended, MPIX_Helper_for throws the first exception again in the caller.
 *
 * @param team        the team of the caller's phase
 * @param begin, end  the range. Indices are MPI_Count, as the large counts of MPI 4
 * @param grain       the length of each piece is a multiple of `grain`, except that of the last piece
 * @param function    runs a piece; in Fortran a procedure with BIND(C)
 * @param data        given to `function`
 *
 * Errors: MPI_ERR_ARG if `end` is less than `begin`, `grain` is less than 1, `function` is NULL, or `team` is
 * not a handle of the calling thread; MPI_ERR_OTHER if the thread is not in a phase of this team, or if an
 * exception of another language than C++ has left a piece.
 */
int MPIX_Helper_for(MPI_Helper_team team, MPI_Count begin, MPI_Count end, MPI_Count grain,
                    MPIX_Helper_for_function* function, void* data);

/** @} */

/** @defgroup helper_packing Datatypes that functions of the program pack
 *  @{ */

/**
 * Packs the bytes from `offset` up to `offset` + `length` of a message into `target`. `buffer` is the buffer
 * argument of the MPI call, `data` the argument of MPIX_Helper_type_create. Messages are cut at multiples of
 * 16 bytes, so never within a number. `target` is aligned to 8 bytes.
 */
typedef void MPIX_Helper_pack_function(const void* buffer, MPI_Count offset, MPI_Count length, void* target,
                                       void* data);
/**
 * Unpacks the bytes from `offset` up to `offset` + `length` of a message, which are at `source`, into
 * `buffer`. The arguments are as for MPIX_Helper_pack_function.
 */
typedef void MPIX_Helper_unpack_function(void* buffer, MPI_Count offset, MPI_Count length, const void* source,
                                         void* data);

/**
 * Makes a datatype that functions of the program pack and unpack. In a phase all blocked members run the
 * functions for pieces of a message, while other pieces travel. Outside a phase the library packs the whole
 * message into one buffer, which MPI sends. On the wire an element is `bytes` times MPI_BYTE. So the other
 * side may pass any type with as many bytes. Local and non-blocking. Any thread may call it, in a phase or
 * not. MPI_Type_free frees the type. MPI_Type_commit does nothing with it.
 *
 * These calls take it: MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Recv, their non-blocking and persistent forms,
 * MPI_Bsend, MPI_Mrecv, MPI_Imrecv, MPI_Sendrecv, MPI_Isendrecv, MPI_Sendrecv_replace, MPI_Isendrecv_replace,
 * MPI_Bcast, MPI_Alltoallw, all neighbourhood collectives, also non-blocking and persistent, and the forms of
 * these calls for large counts. For other calls that move data the type counts as not committed, and they
 * return an error of class MPI_ERR_TYPE. It cannot be duplicated or be part of another datatype. In
 * MPI_Bsend, MPI_Alltoallw and neighbourhood collectives all members pack the whole message before any of it
 * travels. If the library has no memory for that message, the rank takes part anyway and returns
 * MPI_ERR_NO_MEM. Its message is then wrong and too long for the receivers; some MPIs give the receivers
 * MPI_ERR_TRUNCATE.
 *
 * The functions are called for ranges of a message in any order, by several threads at the same time, and
 * possibly more than once for a range. A message of several elements has `bytes` bytes for each element, and
 * `buffer` is the same for all elements. The extent of the type is `bytes`; a collective computes the
 * `buffer` of each block from it. The functions must not call MPI, throw, or leave by longjmp.
 *
 * @param pack, unpack  the functions; in Fortran procedures with BIND(C)
 * @param bytes         bytes of an element in the message, at least 0
 * @param data          given to the functions, until the type is freed and its communication is complete
 * @param type          the datatype
 *
 * Errors: MPI_ERR_ARG if `pack`, `unpack` or `type` is NULL or `bytes` is negative; MPI_ERR_OTHER if the
 * library is inactive and leaves all communication to MPI.
 */
int MPIX_Helper_type_create(MPIX_Helper_pack_function* pack, MPIX_Helper_unpack_function* unpack,
                            MPI_Count bytes, void* data, MPI_Datatype* type);

/** @} */

/** @defgroup helper_memory Memory that the node's ranks share
 *  @{ */

/**
 * Allocates memory that the other ranks of the node can read directly. Operations on data in this memory need
 * no copy to shared memory. While the library is loaded, MPI_Alloc_mem returns such memory as well, but only
 * for 4 KiB or more. If the system does not allow it, or the process has 4,096 such allocations, the memory
 * is what native MPI_Alloc_mem returns. Local and non-blocking. Any thread may call it, in a phase or not.
 *
 * @param size     bytes, at least 0
 * @param info     as for MPI_Alloc_mem
 * @param comm     the ranks that shall read the memory
 * @param baseptr  the address of a pointer, which is set to the memory, as for MPI_Alloc_mem
 *
 * Errors given to the error handler of `comm`: MPI_ERR_ARG if `size` is negative or `baseptr` is NULL. Errors
 * given to the error handler of MPI_COMM_WORLD: MPI_ERR_COMM if `comm` is MPI_COMM_NULL; the errors of
 * MPI_Alloc_mem.
 */
int MPIX_Helper_alloc(MPI_Aint size, MPI_Info info, MPI_Comm comm, void* baseptr);

/**
 * Frees memory that MPIX_Helper_alloc has allocated. No communication may use the memory any more. Local and
 * non-blocking. Any thread may call it. Errors: those of MPI_Free_mem.
 */
int MPIX_Helper_free(void* base);

/** @} */

/** @defgroup helper_group_comm Communicators that their members alone create
 *  @{ */

/**
 * Makes a communicator. Only its members need to call this function; other processes of `comm` need not know
 * of it. Either all members are in a phase, or none. Blocks until all members have called it. In a phase the
 * waiting thread works for its team. Several threads may create communicators at the same time, with
 * different tags.
 *
 * @param comm     an intra-communicator that has all members
 * @param group    the members, in the order of the new communicator; the same at all members
 * @param tag      from 0 to MPI_TAG_UB, for messages on `comm`. Until the call returns no other message on
 *                 `comm` may have this tag, and no other receive there may match it
 * @param newcomm  the communicator, with the error handler of `comm` and none of its attributes. A caller
 *                 outside `group` gets MPI_COMM_NULL immediately
 *
 * Errors, given to the error handler of `comm`: MPI_ERR_COMM if `comm` is MPI_COMM_NULL or an
 * inter-communicator; MPI_ERR_GROUP if `group` is MPI_GROUP_NULL or has a process that is not in `comm`, or
 * if the caller is not in `group` and MPI_HELPER_GROUP_OUTSIDER=error; MPI_ERR_TAG; MPI_ERR_ARG if `newcomm`
 * is NULL; the errors of MPI_Comm_create_group. Source: Dinan et al., "Noncollective Communicator Creation in
 * MPI", EuroMPI 2011, section 5.1.
 */
int MPIX_Group_comm_create(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm);

/**
 * As MPIX_Group_comm_create, with hints, which must be the same at all members. `info` may be MPI_INFO_NULL.
 * Unknown keys are ignored.
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
 * A system-ranked group is a set of processes that form a spanning tree. The library assigns their ranks. A
 * member knows little more than its neighbours in the tree. So a group takes O(k) memory per process, where k
 * is the branching factor of the tree. Only this memory limits the number of groups. Source: A. Langer, R.
 * Venkataraman, L. Kale, "Distributed Algorithms for Constructing Balanced Spanning Trees on System-ranked
 * Process Groups".
 *
 * All threads of a process may use a handle. As with communicators, all members call the collective functions
 * on a group in the same order, and in each process one thread at a time. Threads may use different groups at
 * the same time. Each member may call the functions in a phase or outside. In a phase a waiting thread works
 * for its team, and the team packs, reduces, copies and unpacks the data of the call. The thread level must
 * allow the calls as if they were MPI calls. Free groups before MPI_Finalize.
 *
 * Errors go to the error handler of MPI_COMM_WORLD. Errors of all functions: MPI_ERR_ARG if the group is not
 * a handle, or if a pointer is NULL that must not be NULL.
 * @{
 */

/** A handle to a group. All threads of the process may use it. */
typedef int MPIX_Sysgroup;

/** The value of a handle that names no group. */
#define MPIX_SYSGROUP_NULL ((MPIX_Sysgroup)0)

/**
 * Makes the group of all processes of `comm`. Collective over `comm`, which may be freed afterwards. The
 * first call for a communicator blocks and makes two communicators, which serve all groups that descend from
 * `comm`. A later call waits only for the neighbours in the tree.
 *
 * Hints, which must be the same at all processes:
 * - `mpi_helper_branching`: the k of the tree, at least 1, by default 4.
 * - `mpi_helper_layout`: `rank` (default) or `node`. With `rank`, processes have their ranks in `comm`. With
 * `node`, the processes of a node are together in the tree, and those of a branch are close to one another in
 * the hwloc topology. Ranks then differ from those in `comm`, except that of process 0. Until it returns, a
 * call with `node` needs memory proportional to the size of `comm`.
 *
 * Errors: MPI_ERR_COMM if `comm` is MPI_COMM_NULL or an inter-communicator; MPI_ERR_INFO_VALUE if the value
 * of a known key is malformed; MPI_ERR_OTHER if there are too many communicators.
 */
int MPIX_Sysgroup_from_comm(MPI_Comm comm, MPI_Info info, MPIX_Sysgroup* group);

/**
 * Makes the group of those members of `parent` that pass a `participate` other than 0. Other members of
 * `parent` get MPIX_SYSGROUP_NULL. Collective over `parent`. Blocks until the caller has its place in the new
 * tree. The tree is as shallow as a full k-ary tree, and no member has more than k children.
 *
 * Hints, which must be the same at all members:
 * - `mpi_helper_branching`: k, by default that of the parent.
 * - `mpi_helper_scheme`: how members find their places: `balance` (default), `hash` or `centralised`.
 * `centralised` needs memory proportional to the size of the group.
 * - `mpi_helper_filler`: `leaf`, `child` or `none`: which member fills the place of one that does not
 * participate, while the tree shrinks. A `child` is the one with the fewest members below it. A `leaf` is one
 * of the largest branch. The default is `none` with the scheme hash, otherwise `leaf`. Balance rejects
 * `none`.
 * - `mpi_helper_fillers`, for the filler leaf: how many leaves each member names to its parent, at least 0,
 * by default 0. A member always names at least one leaf for each level above it, which always suffices. With
 * more, leaves are taken more evenly from all branches, but messages are longer.
 * - `mpi_helper_hash`, for the scheme hash: by how many ranks of `parent` to shift the choice of the members
 * that introduce others to one another. By default 0.
 *
 * Errors: MPI_ERR_INFO_VALUE if the value of a known key is malformed.
 */
int MPIX_Sysgroup_enroll(MPIX_Sysgroup parent, int participate, MPI_Info info, MPIX_Sysgroup* group);

/**
 * As MPIX_Sysgroup_enroll, but makes one group for each value of `color`, of the members that pass this
 * value. Members that pass MPI_UNDEFINED get MPIX_SYSGROUP_NULL. The library makes up to 16 groups
 * concurrently: an allreduce finds the values, then the groups enrol at the same time.
 *
 * Further errors: MPI_ERR_ARG if `color` is negative and not MPI_UNDEFINED.
 */
int MPIX_Sysgroup_split(MPIX_Sysgroup parent, int color, MPI_Info info, MPIX_Sysgroup* group);

/** Frees the group and sets `*group` to MPIX_SYSGROUP_NULL. Local. Pending operations still complete. */
int MPIX_Sysgroup_free(MPIX_Sysgroup* group);

/** Returns the caller's rank. The root of the tree has rank 0. Local. */
int MPIX_Sysgroup_rank(MPIX_Sysgroup group, int* rank);

/** Returns the number of members. Local. */
int MPIX_Sysgroup_size(MPIX_Sysgroup group, int* size);

/** Returns the number of edges between the caller and the root of the tree. Local. */
int MPIX_Sysgroup_depth(MPIX_Sysgroup group, int* depth);

/** Returns the rank of the caller's parent in the tree; MPI_PROC_NULL at the root. Local. */
int MPIX_Sysgroup_parent(MPIX_Sysgroup group, int* rank);

/**
 * Returns in `count` the number of the caller's children in the tree, and in `ranks` the ranks of the first
 * `most` children, in ascending order. Local. Errors: MPI_ERR_ARG if `most` is less than 0.
 */
int MPIX_Sysgroup_children(MPIX_Sysgroup group, int most, int* count, int* ranks);

/**
 * Makes a communicator of the members. They have the same ranks as in the group. It gets the error handler of
 * MPI_COMM_WORLD. Collective over the group. Errors: those of MPI_Comm_create_group.
 */
int MPIX_Sysgroup_to_comm(MPIX_Sysgroup group, MPI_Comm* comm);

/**
 * @name Collective operations
 *
 * As the MPI functions of those names. Any member can be the root. The data travel along the tree. The order
 * in which reductions combine depends only on the tree, so all members and all runs get the same results.
 * Only MPIX_Sysgroup_scan accepts operations that do not commute. `count` elements of `datatype` must consist
 * of the same number of basic elements at all members. So must the blocks of a gather. A member that gets a
 * result may pass MPI_IN_PLACE as `sendbuf`, as in the MPI function.
 *
 * Errors: MPI_ERR_ROOT, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_ARG (buffers); MPI_ERR_OP if `op` does not
 * commute or is not defined for the datatype; MPI_ERR_BUFFER if `sendbuf` is `recvbuf`. After such an error
 * the caller takes no part in the operation, and other members wait for it, as with MPI.
 * @{
 */
/** Returns when all members have called it. */
int MPIX_Sysgroup_barrier(MPIX_Sysgroup group);
/** Sends the data of the root to all other members. */
int MPIX_Sysgroup_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPIX_Sysgroup group);
/** Reduces the contributions of all members and gives the result to the root. */
int MPIX_Sysgroup_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         int root, MPIX_Sysgroup group);
/** Reduces the contributions of all members and gives the result to all members. */
int MPIX_Sysgroup_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                            MPIX_Sysgroup group);
/**
 * Gives the root the blocks of all members, in the order of their ranks. During the call a member holds the
 * blocks of all members that reach the root through it. `recvcount` is the number of elements of one block.
 * Further errors: MPI_ERR_COUNT if at one member a block to send and a block to receive differ in size.
 */
int MPIX_Sysgroup_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, int root, MPIX_Sysgroup group);
/**
 * Gives every member the blocks of all members, in the order of their ranks. `recvcount` is the number of
 * elements of one block. Further errors: as for MPIX_Sysgroup_gather.
 */
int MPIX_Sysgroup_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPIX_Sysgroup group);
/**
 * Reduces the contributions of rank 0 up to and including the caller's rank. They are combined in the order
 * of ranks, so `op` need not commute.
 */
int MPIX_Sysgroup_scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       MPIX_Sysgroup group);
/** @} */

/**
 * @name Messages by rank
 *
 * Only the sender and the receiver call these functions. In each process one thread at a time may do so for a
 * group. Both functions block. The sender waits until the receiver has begun to receive, as in MPI_Ssend. A
 * member that waits advances all operations on groups in which it takes part. Messages of one sender that
 * match the same receive arrive in the order in which they were sent. These functions do not match messages
 * of MPI_Send and MPI_Recv.
 *
 * First a short announcement travels along the tree. Then the data go directly from the sender to the
 * receiver. Other members pass the announcement on, except if the sender and the receiver are neighbours, or
 * if MPIX_Sysgroup_from_comm has made the group with the layout `rank`. A member passes it on while it is
 * - in a function on a group that blocks, or
 * - in a phase in an MPI function in which the library waits. In MPI_Win_fence, for example, MPI itself
 * waits.
 *
 * A process that blocks in another MPI function delays the announcement. Free a group only after a barrier on
 * it that follows the last message, so that no announcement still needs the member.
 *
 * Errors: MPI_ERR_RANK if the peer is not a member, or is the caller itself; MPI_ERR_TAG, MPI_ERR_COUNT,
 * MPI_ERR_TYPE, MPI_ERR_ARG (buffer, status).
 * @{
 */
/**
 * Sends a message to the member of rank `dest`. Does nothing if `dest` is MPI_PROC_NULL. `tag` is any number
 * that is not negative.
 */
int MPIX_Sysgroup_send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                       MPIX_Sysgroup group);
/**
 * Receives a message with tag `tag`, or any tag for MPI_ANY_TAG, from the member of rank `source`, or from
 * any member for MPI_ANY_SOURCE. Receives nothing if `source` is MPI_PROC_NULL. `status` gets the source, tag
 * and count; it may be MPI_STATUS_IGNORE. Further errors: MPI_ERR_TRUNCATE if the message is larger than the
 * buffer. Then the buffer does not change, and the sender's call returns MPI_SUCCESS.
 */
int MPIX_Sysgroup_recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPIX_Sysgroup group,
                       MPI_Status* status);
/** @} */

/**
 * @name Non-blocking collective operations
 *
 * The request is an MPI request. Any MPI completion function takes it, alone or together with other requests,
 * in a phase or outside. Operations on a group are carried out one after the other, in the order in which
 * they were started. A blocking operation first waits for earlier non-blocking operations. Operations advance
 * - in completion functions that get one of these requests,
 * - in every function on a group that blocks, and
 * - in a phase in MPI functions in which the library waits. In MPI_Win_fence, for example, MPI itself waits.
 *
 * A process that blocks in another MPI function delays them. Do not free the datatype and the op of an
 * operation before it is complete. Errors: as for the blocking functions.
 * @{
 */
/** Non-blocking form of MPIX_Sysgroup_barrier. */
int MPIX_Sysgroup_ibarrier(MPIX_Sysgroup group, MPI_Request* request);
/** Non-blocking form of MPIX_Sysgroup_bcast. */
int MPIX_Sysgroup_ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPIX_Sysgroup group,
                         MPI_Request* request);
/** Non-blocking form of MPIX_Sysgroup_reduce. */
int MPIX_Sysgroup_ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                          int root, MPIX_Sysgroup group, MPI_Request* request);
/** Non-blocking form of MPIX_Sysgroup_allreduce. */
int MPIX_Sysgroup_iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                             MPIX_Sysgroup group, MPI_Request* request);
/** @} */

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* MPI_HELPER_H */
