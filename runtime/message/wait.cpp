// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/wait.hpp"

#include "native/predefined.hpp"
#include "transport/communicator.hpp"
#include "transport/thread_level.hpp"
#include "transport/world.hpp"

namespace helper::message {

std::string describe_wait(const team::Member& member, std::string_view function, MPI_Comm comm) {
  std::string text = "rank " + std::to_string(transport::world::own_rank()) + ", member " +
                     std::to_string(member.index()) + " of team " + std::to_string(member.team().id()) +
                     " waits in " + std::string(function);
  if (comm == MPI_COMM_NULL) return text;
  return text + " on communicator '" + transport::communicator_name(comm) + "'";
}

ErrorsReturn::ErrorsReturn(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL || comm == MPI_COMM_WORLD || transport::thread_level() == MPI_THREAD_MULTIPLE ||
      !native::are_predefined())
    return;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &world_);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

ErrorsReturn::~ErrorsReturn() {
  if (!is_set()) return;
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, world_);
  PMPI_Errhandler_free(&world_);
}

} // namespace helper::message
