// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

/// MPI_COMM_WORLD as the library uses it: private communicators of the same processes, and what the ranks of
/// others are called there. A program that has sessions alone has no MPI_COMM_WORLD; then these are what the
/// other folders mean by that name.
namespace helper::transport::world {

/// Takes over two communicators of all processes, which return errors. When no other thread communicates with
/// other processes.
void make(MPI_Comm messages, MPI_Comm operations);

/// Frees the communicators. Before MPI ends.
void free();

/// The one on which point-to-point messages travel. MPI_COMM_NULL before make() and after free(). Any thread.
MPI_Comm comm() noexcept;

/// The same for the messages of operations on any communicator, at each process on a Port of theirs.
MPI_Comm operations() noexcept;

/// This process's rank; 0 where nobody knows it. For a thread that may call MPI.
int own_rank() noexcept;

/// The largest tag that messages may have, as any communicator knows. For a thread that may call MPI.
int largest_tag(MPI_Comm comm) noexcept;

/// Whether messages may be announced, and operations carried on communicators that are new to the library.
/// Not where the communicators above may end before those of the program: they do with MPI_COMM_WORLD, but
/// what comes of a session does not. Any thread.
bool takes_more() noexcept;

/// Says which. Before the program has such a communicator.
void take_more(bool whether) noexcept;

/// The rank in MPI_COMM_WORLD of what `comm` calls `rank`: of the remote group if `comm` is an
/// inter-communicator. MPI_UNDEFINED for what is no rank of `comm`, or not in MPI_COMM_WORLD, or if there is
/// no such communicator. For the thread that called MPI. Throws MpiError.
int rank(MPI_Comm comm, int rank);

} // namespace helper::transport::world
