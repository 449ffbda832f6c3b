// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include "ranks/rank_map.hpp"

/// The library uses private communicators of the processes of MPI_COMM_WORLD. This file maps ranks of others
/// to ranks there. A program that uses only sessions has no MPI_COMM_WORLD; then the other folders use this
/// name for the private communicators.
namespace helper::ranks::world {

/// Takes ownership of two communicators of all processes, before other threads communicate.
void make(MPI_Comm messages, MPI_Comm operations);

/// Frees the communicators. Called before MPI ends.
void free();

/// Returns the communicator for messages, or MPI_COMM_NULL if there is none. Any thread may call it.
MPI_Comm comm() noexcept;

/// Returns the communicator for operations on any communicator, which has a Port at each process.
MPI_Comm operations() noexcept;

/// Returns this process's rank; 0 if it is unknown. Only a thread that may call MPI may call it.
int own_rank() noexcept;

/// Returns the largest tag. Any communicator knows it. Only a thread that may call MPI may call it.
int largest_tag(MPI_Comm comm) noexcept;

/// Returns whether messages may be announced, and operations carried on communicators that are new to the
/// library. They may not if private communicators, taken from MPI_COMM_WORLD, may end while those of sessions
/// continue. Any thread may call it.
bool takes_more() noexcept;

/// Sets what takes_more() returns. Called before the program has such a communicator.
void take_more(bool whether) noexcept;

/// Returns the rank in MPI_COMM_WORLD of a rank of `comm`, or of its remote group; MPI_UNDEFINED if there is
/// none or no private communicator. Only the thread that called MPI may call it. Throws MpiError.
int rank(MPI_Comm comm, int rank);

/// Returns the result of rank() for all ranks.
RankMap ranks(MPI_Comm comm);

} // namespace helper::ranks::world
