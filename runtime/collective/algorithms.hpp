// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/dispatch.hpp"
#include "collective/reduction.hpp"
#include "collective/shares.hpp"

/// The algorithms that have files of their own. Each blocks, lending the caller, and throws MpiError and
/// PeerGaveUp.
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

/// Broadcasts among ranks that share memory. The root, which alone knows how its data lie, first tells the
/// others its plan. By `algorithm` cma, dense data are copied from process to process; by shm_cico, and where
/// they are not dense, the root packs chunks into slots of its part of the arena, where the others unpack
/// them. Returns false, at all ranks alike and having done nothing, if the root has no slot left.
bool bcast_in_node(team::Member& member, const Shadow& shadow, const Stream& stream, int root,
                   Algorithm algorithm);

/// Shows the contribution, all of `from`, and stores in `to` what those of the first `ranks` ranks come to.
/// If `ranks` is 0, nothing is stored or looked at.
void reduce_shm_linear(const Reduction& reduction, const Stream& from, const Stream* to, int ranks);

/// Shows the contribution, all of `from`, and stores the result of the reduction in `to`, at all ranks: as
/// many of the elements from `first` on as fit into `to`.
void allreduce_shm_linear(const Reduction& reduction, const Stream& from, const Stream& to,
                          std::size_t first = 0);

/// Reduces among ranks that have a window and take turns on cores. Each rank adds its contribution, all of
/// `from`, to the piece that the rank before it has made. It puts the sum into its own slots, or, if it has
/// none, into its frame, which has room for one piece. The sum of the last rank is the result, which ranks
/// with a `to` store there. So each rank waits for one other rank instead of all, and sleeps while it has
/// nothing to do. An element has at most SharedOperation::board_bytes bytes, and there are at most
/// SharedOperation::most_steps pieces.
void reduce_shm_chain(const Reduction& reduction, const Stream& from, const Stream* to);

/// Reduces among ranks that have a window, without messages: where all have their data in memory of
/// MPI_Alloc_mem, from there (see ShmMapped), elsewhere through slots of the node's arena, in rounds. Returns
/// false, at all ranks alike and having done nothing, if neither can be used, since a rank has no slot left.
bool reduce_shm_cico(const Reduction& reduction, const Stream& from, const Shares& shares,
                     const Results& results);

/// Reduces in rounds of messages among all ranks.
void reduce_by_messages(const Reduction& reduction, const Stream& from, const Shares& shares,
                        const Results& results);

/// Reduces in chunks, the rounds of `pieces`, by messages among all ranks, in any order. Each chunk follows
/// the steps of `schedule`, which must be a schedule for the results. Up to `most` chunks are under way.
void reduce_by_schedule(const Reduction& reduction, const Stream& from, const Pieces& pieces,
                        const Results& results, const Schedule& schedule, std::size_t most = lanes);

/// Does the same by the algorithm's schedule, in pieces that lie side by side.
void reduce_by_schedule(Operation operation, Algorithm algorithm, const Reduction& reduction,
                        const Stream& from, const Results& results, int root = 0);

/// Reduces at most short_most bytes, by a schedule on a single block, and stores in `to`, if there is one, as
/// many bytes as it has, from byte `first` on.
void reduce_short(const Reduction& reduction, const Schedule& schedule, const Stream& from, const Stream* to,
                  std::size_t first = 0);

/// Scans in chunks, from rank to rank. `which` is a scan or an exscan.
void scan_by_chain(const Reduction& reduction, Operation which, const Stream& from, const Stream& to);

/// Gathers every rank's part, of which the own one is in its place, to all ranks by messages.
void allgather_by_schedule(const Moves& moves, Algorithm algorithm, team::Member& member,
                           const Shadow& shadow);

/// Carries MPI_Gather or MPI_Scatter, but for the root's own part, along a tree of which each subtree is of
/// consecutive ranks: a message has the blocks of a subtree, which the ranks between the root and its own
/// rank have in staging.
void move_along_tree(const Moves& moves, Algorithm algorithm, team::Member& member, const Shadow& shadow);

/// Carries MPI_Alltoall, but for the own part, in log2(ranks) messages of each rank for each chunk.
void alltoall_bruck(const Moves& moves, team::Member& member, const Shadow& shadow);

/// Carries MPI_Allreduce on ranks of several nodes: each node reduces among its ranks, shares of the result
/// are reduced between the nodes, in log2(nodes) steps, and what comes of it goes to all ranks of each. So
/// every byte leaves a node, and enters it, once or twice, however many ranks the node has. At each node as
/// many ranks as the smallest node has communicate with the other nodes, each about its own share. Ranks of
/// more than two nodes may reduce in any order.
void allreduce_two_level(const Reduction& reduction, const Stream& from, const Stream& to);

/// Copies what moves between two ranks from buffer to buffer, where that is more than short_most and lies
/// densely in both. Takes it out of `moves`, and leaves what the rank has for itself. The ranks have a window
/// and can copy from and to one another's memory.
void copy_between(Moves& moves, team::Member& member, const Shadow& shadow);

} // namespace helper::collective
