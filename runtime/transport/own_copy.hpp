// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::transport {

/// A communicator of this process alone, of the library's own; MPI_COMM_NULL if there was none left. Made at
/// the first call, and freed by MPI_Finalize.
MPI_Comm own();

/// Elements of a datatype in a buffer.
struct Elements {
  void* base;
  MPI_Count count;
  MPI_Datatype type;
};

/// Has MPI copy elements, of which there may be fewer than there is room for, by a message to oneself:
/// MPI_Pack refuses MPI_BOTTOM. Returns MPI's code; no error handler learns of it. For a thread that may call
/// MPI.
int copy_by_mpi(const Elements& from, const Elements& to);

} // namespace helper::transport
