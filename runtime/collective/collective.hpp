// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>

#include "collective/part.hpp"
#include "team/team.hpp"

/// These are the collective operations that a team carries. Each is called by the primary, in a phase, with
/// the arguments of the MPI function (MPI-4.0, chapter 6) and its meaning, and blocks as that does. It
/// returns nothing, having communicated nothing, when native MPI is to do it: arguments that native MPI
/// rejects, operations without data, and what is not carried. It throws transport::MpiError.
namespace helper::collective {

std::optional<int> barrier(team::Member& member, MPI_Comm comm);

std::optional<int> bcast(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int root,
                         MPI_Comm comm);

std::optional<int> allreduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, MPI_Comm comm);

std::optional<int> reduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                          MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);

/// `Count` is int or MPI_Count.
template <class Count>
std::optional<int> reduce_scatter(team::Member& member, const void* send, void* receive, const Count* counts,
                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm);

std::optional<int> reduce_scatter_block(team::Member& member, const void* send, void* receive,
                                        MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

std::optional<int> scan(team::Member& member, const void* send, void* receive, MPI_Count count,
                        MPI_Datatype type, MPI_Op op, MPI_Comm comm);

std::optional<int> exscan(team::Member& member, const void* send, void* receive, MPI_Count count,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm);

std::optional<int> gather(team::Member& member, const void* send, MPI_Count send_count,
                          MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                          MPI_Datatype receive_type, int root, MPI_Comm comm);

std::optional<int> gatherv(team::Member& member, const void* send, MPI_Count send_count,
                           MPI_Datatype send_type, void* receive, Integers receive_counts,
                           Integers displacements, MPI_Datatype receive_type, int root, MPI_Comm comm);

std::optional<int> scatter(team::Member& member, const void* send, MPI_Count send_count,
                           MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                           MPI_Datatype receive_type, int root, MPI_Comm comm);

std::optional<int> scatterv(team::Member& member, const void* send, Integers send_counts,
                            Integers displacements, MPI_Datatype send_type, void* receive,
                            MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);

std::optional<int> allgather(team::Member& member, const void* send, MPI_Count send_count,
                             MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                             MPI_Datatype receive_type, MPI_Comm comm);

std::optional<int> allgatherv(team::Member& member, const void* send, MPI_Count send_count,
                              MPI_Datatype send_type, void* receive, Integers receive_counts,
                              Integers displacements, MPI_Datatype receive_type, MPI_Comm comm);

std::optional<int> alltoall(team::Member& member, const void* send, MPI_Count send_count,
                            MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                            MPI_Datatype receive_type, MPI_Comm comm);

std::optional<int> alltoallv(team::Member& member, const void* send, Integers send_counts,
                             Integers send_displacements, MPI_Datatype send_type, void* receive,
                             Integers receive_counts, Integers receive_displacements,
                             MPI_Datatype receive_type, MPI_Comm comm);

std::optional<int> alltoallw(team::Member& member, const void* send, Integers send_counts,
                             Integers send_displacements, const MPI_Datatype* send_types, void* receive,
                             Integers receive_counts, Integers receive_displacements,
                             const MPI_Datatype* receive_types, MPI_Comm comm);

} // namespace helper::collective
