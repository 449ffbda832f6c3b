// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "group/recursive.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "transport/mpi_error.hpp"
#include "transport/world.hpp"

namespace helper::group {

namespace {

using transport::MpiError;

/// This process's turn, as long as the lock is held: it takes part in one creation at a time. MPICH merges
/// two parts over a context id that one of them has chosen, so that at a process of the other one two merges
/// at once may have the same, and take each other's messages. The members take their turns in the order of
/// MPI_COMM_WORLD, each after the one before: so creations never wait for one another in a circle.
std::unique_lock<std::mutex> take_turn(const Members& members) {
  static std::mutex turn;
  std::vector<int> queue = members.ranks;
  std::ranges::sort(queue, {}, [&](int rank) { return transport::world::rank(members.comm, rank); });
  const auto own = std::ranges::find(queue, members.ranks[members.beside(0)]);
  int code = MPI_SUCCESS;
  if (own != queue.begin())
    code = PMPI_Recv(nullptr, 0, MPI_BYTE, own[-1], members.tag, members.comm, MPI_STATUS_IGNORE);
  std::unique_lock lock(turn);
  if (code == MPI_SUCCESS && own + 1 != queue.end())
    code = PMPI_Send(nullptr, 0, MPI_BYTE, own[1], members.tag, members.comm);
  if (code != MPI_SUCCESS) throw MpiError(MPI_COMM_NULL, code); // the handler of members.comm has seen it
  return lock;
}

/// Of the communicators that the algorithm makes: no error handler has seen what fails on them.
Communicator returning_errors(MPI_Comm made, int code, const Members& members) {
  if (code != MPI_SUCCESS) throw MpiError(members.comm, code);
  Communicator owned(made);
  PMPI_Comm_set_errhandler(owned, MPI_ERRORS_RETURN);
  return owned;
}

/// Of the caller and the member `other`: for the exchange of two leaders and nothing else.
Communicator create_pair(const Members& members, int other) {
  const std::array pair =
      members.rank < other ? std::array{members.rank, other} : std::array{other, members.rank};
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  int code = PMPI_Group_incl(members.group, 2, pair.data(), &group);
  if (code != MPI_SUCCESS) throw MpiError(members.comm, code);
  code = PMPI_Comm_create_group(members.comm, group, members.tag, &made);
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) throw MpiError(MPI_COMM_NULL, code); // the handler of members.comm has seen it
  return returning_errors(made, code, members);
}

/// What becomes of the caller's part and the one beside it, whose leader is the member `other_leader`.
Communicator merge(const Communicator& part, bool is_leader, int other_leader, bool is_upper,
                   const Members& members) {
  const Communicator pair = is_leader ? create_pair(members, other_leader) : Communicator();
  MPI_Comm made = MPI_COMM_NULL;
  int code = PMPI_Intercomm_create(part, 0, pair, is_upper ? 0 : 1, 0, &made);
  const Communicator both = returning_errors(made, code, members);
  code = PMPI_Intercomm_merge(both, is_upper ? 1 : 0, &made);
  return returning_errors(made, code, members);
}

} // namespace

Communicator create_recursively(const Members& members) {
  const auto turn = take_turn(members);
  MPI_Comm self = MPI_COMM_NULL;
  MPI_Group alone = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_SELF, &alone);
  const int code =
      PMPI_Comm_create(MPI_COMM_SELF, alone, &self); // copies no attributes, as MPI_Comm_dup does
  PMPI_Group_free(&alone);
  Communicator part = returning_errors(self, code, members);
  for (int size = 1; size < members.size(); size *= 2) {
    const int index = members.rank / size;
    const bool is_upper = index % 2 == 1;
    const int other_leader = (is_upper ? index - 1 : index + 1) * size;
    if (other_leader < members.size())
      part = merge(part, members.rank % size == 0, other_leader, is_upper, members);
  }
  return part;
}

} // namespace helper::group
