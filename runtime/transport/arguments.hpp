// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

/// The functions here tell whether native MPI accepts arguments. They ask MPI itself, on a communicator of
/// the library's own, so that no error handler learns of the question. They are local; only a thread that may
/// call MPI may call them.
namespace helper::transport {

/// Tells whether MPI accepts `count` elements of `type` at `buffer`, to be sent or received. MPI_IN_PLACE is
/// no such buffer.
bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type);

/// Tells whether MPI accepts a reduction by `op` of elements of `type`.
bool valid_operation(MPI_Op op, MPI_Datatype type);

/// Tells whether MPI accepts a place for a status, or for an array of them. MPI_STATUS_IGNORE and
/// MPI_STATUSES_IGNORE are null pointers with Open MPI.
inline bool valid_status(const MPI_Status* status) {
  return status != nullptr || status == MPI_STATUS_IGNORE;
}

/// Tells whether MPI accepts a root of an intra-communicator. Throws MpiError when `comm` is not valid, of
/// which its error handler has learned then.
bool valid_root(int root, MPI_Comm comm);

} // namespace helper::transport
