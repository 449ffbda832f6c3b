// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include "ranks/rank_map.hpp"

/// The library uses MPI_COMM_WORLD by private communicators of the same processes, and says here what ranks
/// of other communicators are called there. A program that has sessions alone has no MPI_COMM_WORLD; then the
/// other folders mean these communicators by that name.
namespace helper::ranks::world {

/// Takes over two communicators of all processes, which return errors. It is called when no other thread
/// communicates with other processes.
void make(MPI_Comm messages, MPI_Comm operations);

/// Frees the communicators. It is called before MPI ends.
void free();

/// Returns the communicator on which point-to-point messages travel. It is MPI_COMM_NULL before make() and
/// after free(). Any thread may call it.
MPI_Comm comm() noexcept;

/// Returns the one for the messages of operations on any communicator, each of which has a Port at each
/// process.
MPI_Comm operations() noexcept;

/// Returns this process's rank; 0 where nobody knows it. Only a thread that may call MPI may call it.
int own_rank() noexcept;

/// Returns the largest tag that messages may have, as any communicator knows. Only a thread that may call MPI
/// may call it.
int largest_tag(MPI_Comm comm) noexcept;

/// Returns whether messages may be announced, and operations carried on communicators that are new to the
/// library. They may not where the communicators above may end before those of the program: they do with
/// MPI_COMM_WORLD, but what comes of a session does not. Any thread may call it.
bool takes_more() noexcept;

/// Sets what takes_more() returns. It is called before the program has such a communicator.
void take_more(bool whether) noexcept;

/// Returns the rank in MPI_COMM_WORLD of what `comm` calls `rank`, which is of the remote group if `comm` is
/// an inter-communicator. It is MPI_UNDEFINED for what is no rank of `comm`, or not in MPI_COMM_WORLD, or if
/// there is no such communicator. Only the thread that called MPI may call it. Throws MpiError.
int rank(MPI_Comm comm, int rank);

/// Returns what rank() returns for all of them.
RankMap ranks(MPI_Comm comm);

} // namespace helper::ranks::world
