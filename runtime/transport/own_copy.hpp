// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::transport {

/// Returns a communicator of this process alone, of the library's own, which returns errors; MPI_COMM_NULL if
/// there is none left. It is made of MPI_COMM_SELF at the first call, unless own_is() has said which it is.
/// Any thread that may call MPI may call this.
MPI_Comm own();

/// Takes `self` over as what own() returns, in the place of an earlier one. It is called when the library
/// begins: later a communicator made for this might be given the handle of one that a program has freed and
/// still uses, of which MPI would then not complain.
void own_is(MPI_Comm self);

/// Frees what own() returns. It is called before MPI ends.
void free_own();

/// These are elements of a datatype in a buffer.
struct Elements {
  void* base;
  MPI_Count count;
  MPI_Datatype type;
};

/// Has MPI copy elements, of which there may be fewer than there is room for, by a message to oneself:
/// MPI_Pack refuses MPI_BOTTOM. Returns MPI's code; no error handler learns of it. Only a thread that may
/// call MPI may call it.
int copy_by_mpi(const Elements& from, const Elements& to);

} // namespace helper::transport
