// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

/// Whether native MPI accepts arguments. It is asked itself, on a communicator of the library's own, so that
/// no error handler learns of the question. Local; for a thread that may call MPI.
namespace helper::transport {

/// `count` elements of `type` at `buffer`, to be sent or received: not MPI_IN_PLACE.
bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type);

/// A reduction of elements of `type`.
bool valid_operation(MPI_Op op, MPI_Datatype type);

/// Where a status goes, or an array of them. MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are null pointers with
/// Open MPI.
inline bool valid_status(const MPI_Status* status) {
  return status != nullptr || status == MPI_STATUS_IGNORE;
}

/// A root of an intra-communicator. Throws MpiError when `comm` is not valid, of which its error handler has
/// learned then.
bool valid_root(int root, MPI_Comm comm);

} // namespace helper::transport
