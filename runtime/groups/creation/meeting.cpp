// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/steps.hpp"

#include <algorithm>
#include <cstddef>

#include "message/wait.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"
#include "ranks/world.hpp"
#include "shm/node_context.hpp"

namespace helper::groups::creation {

namespace {

void finish(MPI_Request request, const Members& members, team::Member& waiting) {
  int failed = MPI_SUCCESS;
  message::wait_until(waiting, "MPIX_Group_comm_create", members.comm, [&](int* done) {
    *done = ranks::over(request, failed) ? 1 : 0;
    return MPI_SUCCESS;
  });
  ranks::check(failed);
}

} // namespace

bool are_in_one_world(const Members& members) {
  const auto is_elsewhere = [&](int rank) { return ranks::world::rank(members.comm, rank) == MPI_UNDEFINED; };
  return std::ranges::none_of(members.ranks, is_elsewhere);
}

void tell(const Members& members, int rank, int number, team::Member& waiting) {
  MPI_Request request = MPI_REQUEST_NULL;
  ranks::check(PMPI_Isend(&number, 1, MPI_INT, rank, members.tag, members.comm, &request));
  shm::node_state().ring(ranks::world::rank(members.comm, rank));
  finish(request, members, waiting);
}

int hear(const Members& members, int rank, team::Member& waiting) {
  int number = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  ranks::check(PMPI_Irecv(&number, 1, MPI_INT, rank, members.tag, members.comm, &request));
  finish(request, members, waiting);
  return number;
}

// In each round a member sends the greatest number that it knows to the member `distance` after it, and
// receives from the one `distance` before it. All senders differ.
int meet(const Members& members, int begin, int end, int number, team::Member& waiting) {
  const int size = end - begin;
  const auto beside = [&](int distance) {
    return members.ranks[static_cast<std::size_t>(begin + (members.rank - begin + distance + size) % size)];
  };
  for (int distance = 1; distance < size; distance *= 2) {
    tell(members, beside(distance), number, waiting);
    number = std::max(number, hear(members, beside(-distance), waiting));
  }
  return number;
}

} // namespace helper::groups::creation
