// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>

namespace helper::transport {

/// Returns the name of a communicator as MPI knows it, for reports; it is empty if the communicator has none.
/// Only a thread that may call MPI may call it.
inline std::string communicator_name(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  return name;
}

} // namespace helper::transport
