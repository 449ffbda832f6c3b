// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include "ranks/rank_map.hpp"

/// The library uses private communicators of the processes of MPI_COMM_WORLD. This file maps ranks of other
/// communicators to ranks of MPI_COMM_WORLD. A program that uses only sessions has no MPI_COMM_WORLD; then
/// the other folders use this name for the private communicators.
namespace helper::ranks::world {

/// Takes ownership of two communicators of all processes, which return errors. Called when no other thread
/// communicates with other processes.
void make(MPI_Comm messages, MPI_Comm operations);

/// Frees the communicators. Called before MPI ends.
void free();

/// Returns the communicator for point-to-point messages; MPI_COMM_NULL before make() and after free(). Any
/// thread may call it.
MPI_Comm comm() noexcept;

/// Returns the communicator for messages of operations on any communicator. Each such communicator has a Port
/// at each process.
MPI_Comm operations() noexcept;

/// Returns this process's rank; 0 if it is unknown. Only a thread that may call MPI may call it.
int own_rank() noexcept;

/// Returns the largest tag of messages, which any communicator knows. Only a thread that may call MPI may
/// call it.
int largest_tag(MPI_Comm comm) noexcept;

/// Returns whether messages may be announced, and whether operations may be performed on communicators that
/// are new to the library. They may not if the private communicators may end before those of the program:
/// this holds for private communicators taken from MPI_COMM_WORLD while communicators of sessions continue.
/// Any thread may call it.
bool takes_more() noexcept;

/// Sets what takes_more() returns. Called before the program has such a communicator.
void take_more(bool whether) noexcept;

/// Returns the rank in MPI_COMM_WORLD of rank `rank` of `comm`, of the remote group if `comm` is an
/// inter-communicator. Returns MPI_UNDEFINED if it is no rank of `comm`, is not in MPI_COMM_WORLD, or there
/// is no private communicator. Only the thread that called MPI may call it. Throws MpiError.
int rank(MPI_Comm comm, int rank);

/// Returns the result of rank() for all ranks.
RankMap ranks(MPI_Comm comm);

} // namespace helper::ranks::world
