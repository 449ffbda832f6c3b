// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include "native/quirks.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::ranks {

Reporting reporting() noexcept {
  static const Reporting found = native::quirks::errors_by_request() ? Reporting::by_request
                                 : native::quirks::errors_to_world() ? Reporting::to_world
                                                                     : Reporting::by_request_or_self;
  return found;
}

MPI_Comm unnamed_comm() noexcept {
  if (reporting() != Reporting::by_request_or_self || !native::are_predefined()) return MPI_COMM_WORLD;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
  const bool is_set = handler != MPI_ERRORS_ARE_FATAL;
  PMPI_Errhandler_free(&handler);
  return is_set ? MPI_COMM_SELF : MPI_COMM_WORLD;
}

} // namespace helper::ranks
