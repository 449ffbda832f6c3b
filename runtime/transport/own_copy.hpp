// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::transport {

/// A communicator of this process alone, of the library's own, which returns errors; MPI_COMM_NULL if there
/// is none left. Made of MPI_COMM_SELF at the first call, unless own_is() has said which it is. Any thread
/// that may call MPI.
MPI_Comm own();

/// Takes over which it is, in the place of an earlier one. When the library begins: later it might be given
/// the handle of a communicator that a program has freed and still uses, of which MPI would then not
/// complain.
void own_is(MPI_Comm self);

/// Frees it. Before MPI ends.
void free_own();

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
