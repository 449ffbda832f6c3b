// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/wait.hpp"

#include <mutex>

#include "native/predefined.hpp"
#include "ranks/communicator.hpp"
#include "ranks/thread_level.hpp"
#include "ranks/world.hpp"

namespace helper::message {

std::string describe_wait(const team::Member& member, std::string_view function, MPI_Comm comm) {
  std::string text = "rank " + std::to_string(ranks::world::own_rank()) + ", member " +
                     std::to_string(member.index()) + " of team " + std::to_string(member.team().id()) +
                     " waits in " + std::string(function);
  if (comm == MPI_COMM_NULL) return text;
  return text + " on communicator '" + ranks::communicator_name(comm) + "'";
}

ErrorsReturn::ErrorsReturn(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL || comm == MPI_COMM_WORLD || ranks::thread_level() == MPI_THREAD_MULTIPLE ||
      ranks::reporting() != ranks::Reporting::to_world || !native::are_predefined())
    return;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &world_);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (is_set()) set_.fetch_add(1, std::memory_order_relaxed);
}

ErrorsReturn::~ErrorsReturn() {
  if (!is_set()) return;
  set_.fetch_sub(1, std::memory_order_relaxed);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, world_);
  PMPI_Errhandler_free(&world_);
}

int look_at_native(MPI_Request request, int* flag, MPI_Status* status) {
  if (ranks::reporting() != ranks::Reporting::by_request_or_self || !native::are_predefined())
    return PMPI_Request_get_status(request, flag, status);
  // Without the lock, another thread would take the handler that is set here for the program's handler.
  // Recursive, since MPI may call user code.
  static std::recursive_mutex exchanging;
  const std::lock_guard lock(exchanging);
  const ranks::ErrorsReturned returned(ranks::unnamed_comm());
  return PMPI_Request_get_status(request, flag, status);
}

} // namespace helper::message
