// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <utility>

#include "collective/dispatch.hpp"
#include "collective/moves.hpp"

namespace helper::collective {

namespace {

/// Returns a part for each rank: `part` for the rank `peer`, empty parts for the others.
std::vector<Part> only(int ranks, int peer, const Part& part) {
  std::vector<Part> all(static_cast<std::size_t>(ranks));
  all[static_cast<std::size_t>(peer)] = part;
  return all;
}

/// Gathers or scatters. `mine` is this rank's part. `blocks(ranks)` returns the parts of the root's buffer.
template <class Blocks>
std::optional<int> rooted(Operation operation, const char* name, team::Member& member, const Part& mine,
                          const Blocks& blocks, int root, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return member.decline(reason::arguments);
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return member.decline(reason::shadow);
  if (root < 0 || root >= shadow->size()) return member.decline(reason::arguments);
  const bool is_root = shadow->rank() == root;
  const bool in_place = is_root && mine.base == MPI_IN_PLACE;
  Moves moves{operation, name, only(shadow->size(), root, in_place ? Part{} : mine), {}};
  moves.root = root;
  moves.in = is_root ? blocks(shadow->size()) : only(shadow->size(), root, {});
  std::size_t bytes = 0;
  if (is_regular_rooted(operation)) bytes = is_root ? moves.in.front().bytes : mine.bytes;
  if (is_scatter(operation)) std::swap(moves.out, moves.in);
  return carry(std::move(moves), bytes, member, *shadow);
}

} // namespace

std::optional<int> gather(team::Member& member, const void* send, MPI_Count send_count,
                          MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                          MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return rooted(Operation::gather, "MPI_Gather", member, part(send, send_count, send_type),
                parts_in(receive, receive_count, receive_type), root, comm);
}

std::optional<int> gatherv(team::Member& member, const void* send, MPI_Count send_count,
                           MPI_Datatype send_type, void* receive, Integers receive_counts,
                           Integers displacements, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return rooted(Operation::gatherv, "MPI_Gatherv", member, part(send, send_count, send_type),
                parts_in(receive, receive_counts, displacements, receive_type), root, comm);
}

std::optional<int> scatter(team::Member& member, const void* send, MPI_Count send_count,
                           MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                           MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return rooted(Operation::scatter, "MPI_Scatter", member, part(receive, receive_count, receive_type),
                parts_in(send, send_count, send_type), root, comm);
}

std::optional<int> scatterv(team::Member& member, const void* send, Integers send_counts,
                            Integers displacements, MPI_Datatype send_type, void* receive,
                            MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return rooted(Operation::scatterv, "MPI_Scatterv", member, part(receive, receive_count, receive_type),
                parts_in(send, send_counts, displacements, send_type), root, comm);
}

} // namespace helper::collective
