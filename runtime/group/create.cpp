// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "group/create.hpp"

#include <optional>

#include "group/meeting.hpp"
#include "group/recursive.hpp"
#include "message/message.hpp"
#include "message/patience.hpp"
#include "team/registry.hpp"
#include "transport/mpi_error.hpp"

namespace helper::group {

namespace {

Communicator create_directly(const Members& members) {
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_create_group(members.comm, members.group, members.tag, &made);
  if (code != MPI_SUCCESS) throw transport::MpiError(MPI_COMM_NULL, code);
  return Communicator(made);
}

/// MPI wants it (MPI-4.0, section 9.3), of which MPICH does nothing here.
void inherit_error_handler(MPI_Comm from, MPI_Comm to) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(from, &handler);
  PMPI_Comm_set_errhandler(to, handler);
  PMPI_Errhandler_free(&handler);
}

} // namespace

MPI_Comm create(const Members& members, Algorithm algorithm, team::Member* member) {
  const bool patient = member != nullptr || algorithm == Algorithm::multiway;
  if (member != nullptr) message::rescue(); // what follows blocks in MPI
  team::Member& waiting = member != nullptr ? *member : team::alone();
  if (patient) meet(members, waiting);
  std::optional<message::Patience> patience;
  if (patient) patience.emplace(waiting);
  Communicator made =
      algorithm == Algorithm::recursive ? create_recursively(members) : create_directly(members);
  inherit_error_handler(members.comm, made);
  return made.release();
}

} // namespace helper::group
