// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include "ranks/rank_map.hpp"

/// The library's private communicators have the processes of MPI_COMM_WORLD. This file maps ranks of other
/// communicators to ranks of the private ones. A program that uses only sessions has no MPI_COMM_WORLD. Then
/// that name means the private communicators in comments of other folders.
namespace helper::ranks::world {

/// Takes ownership of two communicators of all processes, before other threads communicate.
void make(MPI_Comm messages, MPI_Comm operations);

/// Frees the communicators. Called before MPI ends.
void free();

/// Returns the communicator for messages, or MPI_COMM_NULL if there is none. Any thread may call it.
MPI_Comm comm() noexcept;

/// Returns the communicator for messages of operations. Each communicator of the program has a Port there.
MPI_Comm operations() noexcept;

/// Returns this process's rank; 0 if it is unknown. Only a thread that may call MPI may call it.
int own_rank() noexcept;

/// Returns MPI's largest tag, which is the same for any `comm`. Only a thread that may call MPI may call it.
int largest_tag(MPI_Comm comm) noexcept;

/// Returns whether the library may announce messages, and carry operations on communicators that are new to
/// it. It may not if the program opens sessions in addition to MPI_COMM_WORLD: communicators of sessions may
/// outlive the private communicators, which end with MPI_COMM_WORLD. Any thread may call it.
bool takes_more() noexcept;

/// Sets what takes_more() returns. Called before an additional session has a communicator.
void take_more(bool whether) noexcept;

/// Returns the rank in MPI_COMM_WORLD of rank `rank` of `comm`, or of its remote group; MPI_UNDEFINED if
/// none, or without private communicators. Only the thread that called MPI may call it. Throws MpiError.
int rank(MPI_Comm comm, int rank);

/// Returns the result of rank() for all ranks of `comm`.
RankMap ranks(MPI_Comm comm);

} // namespace helper::ranks::world
