// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "group/meeting.hpp"

#include "message/wait.hpp"
#include "transport/mpi_error.hpp"
#include "transport/node.hpp"
#include "transport/request.hpp"
#include "transport/world.hpp"

namespace helper::group {

namespace {

/// Waits for `request`; the first error is noted in `failed`.
void finish(MPI_Request& request, int& failed, MPI_Comm comm, team::Member& member) {
  message::wait_until(member, "MPIX_Group_comm_create", comm, [&](int* done) {
    *done = request == MPI_REQUEST_NULL || transport::over(request, failed) ? 1 : 0;
    return MPI_SUCCESS;
  });
}

} // namespace

/// In rounds: each tells the member `distance` behind it that all up to here have come, and hears the same of
/// those before. The distances are all different, and so are the senders that a member hears from.
void meet(const Members& members, team::Member& member) {
  const int size = members.size();
  int failed = MPI_SUCCESS;
  for (int distance = 1; distance < size && failed == MPI_SUCCESS; distance *= 2) {
    MPI_Request received = MPI_REQUEST_NULL;
    MPI_Request sent = MPI_REQUEST_NULL;
    failed = PMPI_Irecv(nullptr, 0, MPI_BYTE, members.ranks[members.beside(-distance)], members.tag,
                        members.comm, &received);
    const int next = members.ranks[members.beside(distance)];
    if (failed == MPI_SUCCESS) {
      failed = PMPI_Isend(nullptr, 0, MPI_BYTE, next, members.tag, members.comm, &sent);
      transport::node::ring(transport::world::rank(members.comm, next));
    }
    if (failed != MPI_SUCCESS && received != MPI_REQUEST_NULL) PMPI_Cancel(&received);
    finish(received, failed, members.comm, member);
    finish(sent, failed, members.comm, member);
  }
  if (failed != MPI_SUCCESS) throw transport::MpiError(MPI_COMM_NULL, failed);
}

} // namespace helper::group
