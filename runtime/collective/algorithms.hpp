// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/dispatch.hpp"
#include "collective/reduction.hpp"
#include "collective/shares.hpp"

/// The algorithms. Each blocks, lending the calling thread, and throws MpiError and PeerGaveUp.
namespace helper::collective {

class Schedule;
struct Moves;

void barrier_shm_linear(team::Member& member, const Shadow& shadow);

void bcast_shm_linear(team::Member& member, const Shadow& shadow, const Stream& stream, int root);

/// Broadcasts at most short_most bytes, whole in each message, without pipeline and staging.
void bcast_short(team::Member& member, const Shadow& shadow, const Stream& stream, int root,
                 Algorithm algorithm);

/// Broadcasts by messages, in chunks that are in a pipeline.
void bcast_by_schedule(team::Member& member, const Shadow& shadow, const Stream& stream, int root,
                       Algorithm algorithm);

/// Broadcasts among ranks that share memory. The root tells the others its plan. With cma, contiguous data
/// are copied from process to process. Otherwise the root packs chunks into slots of the arena, and the
/// others unpack them. Returns false, alike at all ranks and having done nothing, if it has no free slot.
bool bcast_in_node(team::Member& member, const Shadow& shadow, const Stream& stream, int root,
                   Algorithm algorithm);

/// Shows all of `from` to other ranks. Stores the reduction over the first `ranks` ranks, if any, in `to`.
void reduce_shm_linear(const Reduction& reduction, const Stream& from, const Stream* to, int ranks);

/// Shows the contribution, all of `from`, and stores the result of the reduction over all ranks in `to`: as
/// many elements from `first` on as fit into `to`.
void allreduce_shm_linear(const Reduction& reduction, const Stream& from, const Stream& to,
                          std::size_t first = 0);

/// Reduces among ranks that share memory, on an oversubscribed node. Each rank combines its contribution with
/// the sums of the previous rank, piece by piece. Its sums are in its slots, or one piece is in its payload.
/// The sums of the last rank are the result, which ranks with a `to` store. So a rank waits for one other and
/// sleeps. Elements have at most SharedOperation::payload_bytes bytes; there are at most most_steps pieces.
void reduce_shm_chain(const Reduction& reduction, const Stream& from, const Stream* to);

/// Reduces among ranks that share memory: in place, if all data are in memory of MPI_Alloc_mem (see
/// ShmMapped), otherwise through slots of the arena, in rounds. Returns false, alike at all ranks and having
/// done nothing, if a rank has no free slot for that.
bool reduce_shm_cico(const Reduction& reduction, const Stream& from, const Shares& shares,
                     const Results& results);

/// Reduces in chunks, the rounds of `pieces`, by messages among all ranks. Each chunk follows the steps of
/// `schedule`, which must give each rank the data that `results` names. Up to `most` chunks are in flight.
void reduce_by_schedule(const Reduction& reduction, const Stream& from, const Pieces& pieces,
                        const Results& results, const Schedule& schedule, std::size_t most = lanes);

/// Does the same with the schedule of `algorithm`. A reduce-scatter passes its `shares`. In other operations
/// each chunk takes the next elements of `from`.
void reduce_by_schedule(Operation operation, Algorithm algorithm, const Reduction& reduction,
                        const Stream& from, const Results& results, int root = 0,
                        const Shares* shares = nullptr);

/// Reduces at most short_most bytes, with a schedule on a single block. Stores the result from byte `first`
/// on in `to`, if there is one, as far as it fits.
void reduce_short(const Reduction& reduction, const Schedule& schedule, const Stream& from, const Stream* to,
                  std::size_t first = 0);

/// Scans in chunks, from rank to rank. `which` is a scan or an exscan.
void scan_by_chain(const Reduction& reduction, Operation which, const Stream& from, const Stream& to);

/// Gathers every rank's part to all ranks by messages. The rank's own part is already in its place.
void allgather_by_schedule(const Moves& moves, Algorithm algorithm, team::Member& member,
                           const Shadow& shadow);

/// Carries MPI_Gather or MPI_Scatter, except for the root's own part, along a tree. Each subtree is of
/// consecutive ranks, and a message has the blocks of a subtree, which inner ranks have in staging.
void move_along_tree(const Moves& moves, Algorithm algorithm, team::Member& member, const Shadow& shadow);

/// Performs MPI_Alltoall, except for the own part, in log2(ranks) messages of each rank for each chunk.
void alltoall_bruck(const Moves& moves, team::Member& member, const Shadow& shadow);

/// Copies data of this and other ranks from buffer to buffer, if they have more than short_most bytes and are
/// contiguous in both. Removes what it has copied from `moves`. All ranks share memory and can copy from and
/// to one another's memory.
void copy_between(Moves& moves, team::Member& member, const Shadow& shadow);

} // namespace helper::collective
