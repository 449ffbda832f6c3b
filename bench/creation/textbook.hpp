// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace bench {

/// Makes a communicator of `group`, whose members alone call it, by MPI-2.2's functions: Algorithm 1 of Dinan
/// et al., "Noncollective Communicator Creation in MPI", as it stands there. With MPICH one thread of a
/// process may do so at a time (quirk merges_cross).
MPI_Comm create_by_the_book(MPI_Group group, MPI_Comm comm, int tag);

} // namespace bench
