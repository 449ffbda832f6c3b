// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <utility>

#include "collective/dispatch.hpp"
#include "collective/moves.hpp"

namespace helper::collective {

namespace {

/// Gathers every rank's part `mine` to all ranks. `blocks(ranks)` returns the parts of the receive buffer.
template <class Blocks>
std::optional<int> to_all(Operation operation, const char* name, team::Member& member, Part mine,
                          const Blocks& blocks, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return member.decline(reason::arguments);
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return member.decline(reason::shadow);
  const auto self = static_cast<std::size_t>(shadow->rank());
  const bool in_place = mine.base == MPI_IN_PLACE;
  Moves moves{operation, name, {}, blocks(shadow->size())};
  if (in_place) mine = moves.in[self];
  moves.out.assign(moves.in.size(), mine);
  if (in_place) moves.out[self] = {};
  std::size_t bytes = 0;
  for (const Part& from : moves.in) bytes += from.bytes;
  return carry(std::move(moves), bytes, member, *shadow);
}

} // namespace

std::optional<int> allgather(team::Member& member, const void* send, MPI_Count send_count,
                             MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                             MPI_Datatype receive_type, MPI_Comm comm) {
  return to_all(Operation::allgather, "MPI_Allgather", member, part(send, send_count, send_type),
                parts_in(receive, receive_count, receive_type), comm);
}

std::optional<int> allgatherv(team::Member& member, const void* send, MPI_Count send_count,
                              MPI_Datatype send_type, void* receive, Integers receive_counts,
                              Integers displacements, MPI_Datatype receive_type, MPI_Comm comm) {
  return to_all(Operation::allgatherv, "MPI_Allgatherv", member, part(send, send_count, send_type),
                parts_in(receive, receive_counts, displacements, receive_type), comm);
}

} // namespace helper::collective
