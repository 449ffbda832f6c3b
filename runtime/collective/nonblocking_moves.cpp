// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/nonblocking.hpp"
#include "transport/arguments.hpp"

namespace helper::collective {

namespace {

/// Finds the shadow for an operation with a root, if `root` is one.
const Shadow* find_shadow(team::Member& member, MPI_Comm comm, const Making& making, int root) {
  const Shadow* const shadow = find_shadow(member, comm, making);
  if (shadow == nullptr || transport::valid_root(root, comm)) return shadow;
  return member.decline(reason::arguments), nullptr;
}

/// Returns the part of consecutive blocks, one for each rank, of `count` elements.
Part all_blocks(const Shadow& shadow, const void* base, MPI_Count count, MPI_Datatype type) {
  return part(base, count * shadow.size(), type);
}

/// Makes an operation, unless native MPI is to judge its arguments. `in_own` is where the rank's own part
/// goes, if it goes anywhere.
std::optional<int> make_move(team::Member& member, const Shadow& shadow, Participation&& move,
                             const Part& out_own, const Part& in_own, const Making& making) {
  const bool is_good = (!move.contribution || acceptable({*move.contribution})) && acceptable(move.results) &&
                       !are_aliases(out_own, in_own);
  if (!is_good) return member.decline(reason::arguments);
  return make(member, shadow, std::move(move), making);
}

} // namespace

std::optional<int> ibcast(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int root,
                          MPI_Comm comm, const Making& making) {
  const Part all = part(buffer, count, type);
  if (all.bytes == 0) return member.decline(reason::arguments); // as all ranks know
  const Shadow* const shadow = find_shadow(member, comm, making, root);
  if (shadow == nullptr) return std::nullopt;
  if (!carries(member, *shadow, Operation::ibcast, all.bytes)) return std::nullopt;
  Participation move{"MPI_Ibcast"};
  if (shadow->rank() == root) {
    move.contribution = all;
    move.readers = RankRange{0, shadow->size()}.each();
  } else {
    move.take(root, all.bytes, 0, all);
  }
  return make_move(member, *shadow, std::move(move), {}, {}, making);
}

std::optional<int> igather(team::Member& member, const void* send, MPI_Count send_count,
                           MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                           MPI_Datatype receive_type, int root, MPI_Comm comm, const Making& making) {
  const Shadow* const shadow = find_shadow(member, comm, making, root);
  if (shadow == nullptr) return std::nullopt;
  const bool is_root = shadow->rank() == root;
  const bool in_place = is_root && send == MPI_IN_PLACE;
  const Part mine = in_place ? Part{} : part(send, send_count, send_type);
  const std::size_t bytes = is_root ? part(receive, receive_count, receive_type).bytes : mine.bytes;
  if (!carries(member, *shadow, Operation::igather, bytes)) return std::nullopt;
  Participation move{"MPI_Igather", mine};
  move.readers = {root};
  Part own{};
  if (is_root) {
    const std::vector<Part> blocks = parts(shadow->size(), receive, receive_count, receive_type);
    own = blocks[static_cast<std::size_t>(root)];
    for (int rank = 0; rank < shadow->size(); ++rank) {
      if (!in_place || rank != root) move.take(rank, bytes, 0, blocks[static_cast<std::size_t>(rank)]);
    }
  }
  return make_move(member, *shadow, std::move(move), mine, own, making);
}

std::optional<int> iscatter(team::Member& member, const void* send, MPI_Count send_count,
                            MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                            MPI_Datatype receive_type, int root, MPI_Comm comm, const Making& making) {
  const Shadow* const shadow = find_shadow(member, comm, making, root);
  if (shadow == nullptr) return std::nullopt;
  const bool is_root = shadow->rank() == root;
  const auto self = static_cast<std::size_t>(shadow->rank());
  const auto ranks = static_cast<std::size_t>(shadow->size());
  const bool in_place = is_root && receive == MPI_IN_PLACE;
  const Part mine = in_place ? Part{} : part(receive, receive_count, receive_type);
  const std::size_t bytes = is_root ? part(send, send_count, send_type).bytes : mine.bytes;
  if (!carries(member, *shadow, Operation::iscatter, bytes)) return std::nullopt;
  Participation move{"MPI_Iscatter"};
  Part own{};
  if (is_root) {
    own = parts(shadow->size(), send, send_count, send_type)[self];
    move.contribution = all_blocks(*shadow, send, send_count, send_type);
    move.readers = RankRange{0, shadow->size()}.each();
  }
  if (!in_place) move.take(root, mine.bytes * ranks, mine.bytes * self, mine);
  return make_move(member, *shadow, std::move(move), own, mine, making);
}

namespace {

/// Gathers every rank's part to all ranks.
std::optional<int> gather_to_all(team::Member& member, const Shadow& shadow, Participation&& move,
                                 const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                 const std::vector<Part>& blocks, const Making& making) {
  const int self = shadow.rank();
  const Part& own = blocks[static_cast<std::size_t>(self)];
  const bool in_place = send == MPI_IN_PLACE;
  move.contribution = in_place ? own : part(send, send_count, send_type);
  move.readers = RankRange{0, shadow.size()}.each();
  for (int rank = 0; rank < shadow.size(); ++rank) {
    const Part& block = blocks[static_cast<std::size_t>(rank)];
    if (!in_place || rank != self) move.take(rank, block.bytes, 0, block);
  }
  const Part out = in_place ? Part{} : *move.contribution;
  return make_move(member, shadow, std::move(move), out, own, making);
}

} // namespace

std::optional<int> iallgather(team::Member& member, const void* send, MPI_Count send_count,
                              MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                              MPI_Datatype receive_type, MPI_Comm comm, const Making& making) {
  const Shadow* const shadow = find_shadow(member, comm, making);
  if (shadow == nullptr) return std::nullopt;
  const Part all = all_blocks(*shadow, receive, receive_count, receive_type);
  if (!carries(member, *shadow, Operation::iallgather, all.bytes)) return std::nullopt;
  return gather_to_all(member, *shadow, {"MPI_Iallgather"}, send, send_count, send_type,
                       parts(shadow->size(), receive, receive_count, receive_type), making);
}

std::optional<int> iallgatherv(team::Member& member, const void* send, MPI_Count send_count,
                               MPI_Datatype send_type, void* receive, Integers receive_counts,
                               Integers displacements, MPI_Datatype receive_type, MPI_Comm comm,
                               const Making& making) {
  const Shadow* const shadow = find_shadow(member, comm, making);
  if (shadow == nullptr) return std::nullopt;
  if (!receive_counts.are_there() || !displacements.are_there()) return member.decline(reason::arguments);
  MPI_Count all = 0;
  for (int rank = 0; rank < shadow->size(); ++rank) all += receive_counts[rank];
  if (!carries(member, *shadow, Operation::iallgatherv, part(receive, all, receive_type).bytes))
    return std::nullopt;
  return gather_to_all(member, *shadow, {"MPI_Iallgatherv"}, send, send_count, send_type,
                       parts(shadow->size(), receive, receive_counts, displacements, receive_type), making);
}

std::optional<int> ialltoall(team::Member& member, const void* send, MPI_Count send_count,
                             MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                             MPI_Datatype receive_type, MPI_Comm comm, const Making& making) {
  const Shadow* const shadow = find_shadow(member, comm, making);
  if (shadow == nullptr) return std::nullopt;
  const auto self = static_cast<std::size_t>(shadow->rank());
  const auto ranks = static_cast<std::size_t>(shadow->size());
  const bool in_place = send == MPI_IN_PLACE;
  if (!carries(member, *shadow, Operation::ialltoall, part(receive, receive_count, receive_type).bytes))
    return std::nullopt;
  const std::vector<Part> blocks = parts(shadow->size(), receive, receive_count, receive_type);
  const Part& in = blocks[self];
  Participation move{"MPI_Ialltoall"};
  move.contribution = in_place ? all_blocks(*shadow, receive, receive_count, receive_type)
                               : all_blocks(*shadow, send, send_count, send_type);
  move.is_overwritten = in_place;
  move.readers = RankRange{0, shadow->size()}.each();
  for (int rank = 0; rank < shadow->size(); ++rank) {
    if (!in_place || rank != shadow->rank())
      move.take(rank, in.bytes * ranks, in.bytes * self, blocks[static_cast<std::size_t>(rank)]);
  }
  const Part out = in_place ? Part{} : parts(shadow->size(), send, send_count, send_type)[self];
  return make_move(member, *shadow, std::move(move), out, in, making);
}

} // namespace helper::collective
