// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/wait.hpp"

#include "transport/communicator_name.hpp"
#include "transport/world.hpp"

namespace helper::message {

std::string describe_wait(const team::Member& member, std::string_view function, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::string text = "rank " + std::to_string(rank) + ", member " + std::to_string(member.index()) +
                     " of team " + std::to_string(member.team().id()) + " waits in " + std::string(function);
  if (comm == MPI_COMM_NULL) return text;
  return text + " on communicator '" + transport::communicator_name(comm) + "'";
}

void poke_mpi() noexcept {
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, transport::world::comm(), &flag, MPI_STATUS_IGNORE);
}

} // namespace helper::message
