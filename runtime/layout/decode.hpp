// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "layout/form.hpp"
#include "layout/head.hpp"

#include <mpi.h>

namespace helper::layout {

/// This is what there is to know of a datatype.
struct Decoded {
  Placed form; ///< of one element
  MPI_Count lower_bound;
  MPI_Count extent;
  Head head; ///< of one element
};

/// Decodes a datatype; it calls MPI. Its time and memory grow as what MPI says of the type and of those that
/// it was made of, each once, and it takes little of the stack, however deeply they are nested. Throws
/// Undecodable for a type that MPI rejects, one that is not supported, and one whose form would not be
/// bounded.
Decoded decode(MPI_Datatype type);

} // namespace helper::layout
