// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <utility>

#include "collective/dispatch.hpp"
#include "collective/moves.hpp"

namespace helper::collective {

namespace {

/// Moves data between all ranks. `in(ranks)` returns the parts of the receive buffer, and `out(ranks)` the
/// parts of the send buffer. Does not call `out` if `send` is MPI_IN_PLACE.
template <class Out, class In>
std::optional<int> among_all(Operation operation, const char* name, team::Member& member, const void* send,
                             const Out& out, const In& in, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return member.decline(reason::arguments);
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return member.decline(reason::shadow);
  Moves moves{operation, name, {}, in(shadow->size())};
  const std::size_t bytes = operation == Operation::alltoall ? moves.in.front().bytes : 0;
  moves.in_place = send == MPI_IN_PLACE;
  moves.out = moves.in_place ? moves.in : out(shadow->size());
  if (moves.in_place) moves.out[static_cast<std::size_t>(shadow->rank())] = {};
  return carry(std::move(moves), bytes, member, *shadow);
}

} // namespace

std::optional<int> alltoall(team::Member& member, const void* send, MPI_Count send_count,
                            MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                            MPI_Datatype receive_type, MPI_Comm comm) {
  return among_all(Operation::alltoall, "MPI_Alltoall", member, send, parts_in(send, send_count, send_type),
                   parts_in(receive, receive_count, receive_type), comm);
}

std::optional<int> alltoallv(team::Member& member, const void* send, Integers send_counts,
                             Integers send_displacements, MPI_Datatype send_type, void* receive,
                             Integers receive_counts, Integers receive_displacements,
                             MPI_Datatype receive_type, MPI_Comm comm) {
  return among_all(Operation::alltoallv, "MPI_Alltoallv", member, send,
                   parts_in(send, send_counts, send_displacements, send_type),
                   parts_in(receive, receive_counts, receive_displacements, receive_type), comm);
}

std::optional<int> alltoallw(team::Member& member, const void* send, Integers send_counts,
                             Integers send_displacements, const MPI_Datatype* send_types, void* receive,
                             Integers receive_counts, Integers receive_displacements,
                             const MPI_Datatype* receive_types, MPI_Comm comm) {
  return among_all(Operation::alltoallw, "MPI_Alltoallw", member, send,
                   parts_in(send, send_counts, send_displacements, send_types),
                   parts_in(receive, receive_counts, receive_displacements, receive_types), comm);
}

} // namespace helper::collective
