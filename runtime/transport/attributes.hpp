// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::transport {

/// Deletes the attribute of the communicators that no program frees. Before MPI_Finalize.
inline void drop_from_predefined(int keyval) {
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    void* value = nullptr;
    int is_set = 0;
    PMPI_Comm_get_attr(comm, keyval, static_cast<void*>(&value), &is_set);
    if (is_set != 0) PMPI_Comm_delete_attr(comm, keyval); // without one it is an error with Open MPI
  }
}

} // namespace helper::transport
