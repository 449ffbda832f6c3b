// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

/// MPI_COMM_WORLD as the library uses it: private duplicates, and what the ranks of other communicators are
/// called there.
namespace helper::transport::world {

/// Makes the duplicates. Collective over MPI_COMM_WORLD; once, at MPI_Init.
void make();

/// Frees them, and what rank() has kept on MPI_COMM_WORLD and MPI_COMM_SELF. Before MPI_Finalize.
void free();

/// The duplicate on which point-to-point messages travel; it returns errors. MPI_COMM_NULL before make() and
/// after free(). Any thread.
MPI_Comm comm() noexcept;

/// The same for the messages of operations on any communicator, at each process on a Port of theirs.
MPI_Comm operations() noexcept;

/// The rank in MPI_COMM_WORLD of what `comm` calls `rank`: of the remote group if `comm` is an
/// inter-communicator. MPI_UNDEFINED for what is no rank of `comm`, or not in MPI_COMM_WORLD, or if there is
/// no duplicate. For the thread that called MPI. Throws MpiError.
int rank(MPI_Comm comm, int rank);

} // namespace helper::transport::world
