// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Blocking collectives are carried by the team where it can; otherwise they are non-blocking with the thread
// lent. So are constructors of communicators that have a non-blocking form.

#include <algorithm>
#include <string_view>

#include "collective/collective.hpp"
#include "collective/neighbors.hpp"
#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "message/packed_blocks.hpp"
#include "ranks/arguments.hpp"

using namespace helper;
using namespace helper::interpose;
using collective::carried;

namespace {

bool is_nothing(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count == 0) return true;
  MPI_Count element = 1;
  if (ranks::valid_data(buffer, count, type)) PMPI_Type_size_x(type, &element);
  return element == 0;
}

/// Returns whether it is an inter-communicator; of none MPI is to say what is wrong.
bool is_inter(MPI_Comm comm) {
  int flag = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &flag);
  return flag != 0;
}

/// Lends, except for a broadcast of nothing (quirk empty_bcast_does_not_wait). All ranks must do alike, since
/// MPI counts its non-blocking operations. So nobody lends on inter-communicators, where ranks that take no
/// part may pass any count.
template <auto Start>
constexpr auto broadcast = [](team::Member& member, void* buffer, auto count, MPI_Datatype type, int root,
                              MPI_Comm comm) -> std::optional<int> {
  if (!is_nothing(buffer, count, type) && !is_inter(comm))
    return lend<Start>(member, buffer, count, type, root, comm);
  message::rescue();
  return std::nullopt;
};

/// Broadcasts, as bytes, data that functions of the program pack. Native MPI, and lent threads, handle them
/// like the bytes that other ranks pass.
constexpr auto broadcast_packed = [](team::Member& member, void* buffer, auto count, MPI_Datatype type,
                                     int root, MPI_Comm comm) -> std::optional<int> {
  if (!layout::has_functions(type) || comm == MPI_COMM_NULL) return std::nullopt;
  int rank = MPI_ROOT;
  if (!is_inter(comm)) PMPI_Comm_rank(comm, &rank);
  const auto bytes = ranks::charged_to(comm, [&] { return message::PackedBytes(buffer, count, type); });
  if (rank == root) bytes.load(member);
  const int code = bytes.give([&](int of_bytes, MPI_Datatype as) -> int {
    std::optional<int> lent;
    if (&member != &team::alone())
      lent = broadcast<PMPI_Ibcast>(member, bytes.data(), of_bytes, as, root, comm);
    return lent ? *lent : PMPI_Bcast(bytes.data(), of_bytes, as, root, comm);
  });
  if (code == MPI_SUCCESS && rank != root && root != MPI_PROC_NULL) bytes.store(member);
  return code;
};

/// Lends a neighbourhood collective, except with an MPI 3.1: quirk confuses_equal_neighbours.
template <auto Start>
constexpr auto exchange = [](team::Member& member, auto... arguments) -> std::optional<int> {
  if constexpr (MPI_VERSION >= 4) return lend<Start>(member, arguments...);
  message::rescue();
  return std::nullopt;
};

/// Exchanges blocks that functions of the program pack as bytes, in one of the `Ways` in a phase.
template <auto Native, auto... Ways>
constexpr auto exchange_packed = [](team::Member& member, const void* send, const auto* send_counts,
                                    const auto* send_places, const MPI_Datatype* send_types, void* receive,
                                    const auto* receive_counts, const auto* receive_places,
                                    const MPI_Datatype* receive_types, MPI_Comm comm) -> std::optional<int> {
  if (!layout::any_functions() || comm == MPI_COMM_NULL) return std::nullopt;
  std::size_t sent = 0;
  std::size_t received = 0;
  const collective::Neighbors* neighbors = nullptr;
  if constexpr (std::string_view(name_of<Native>).starts_with("MPI_Neighbor")) {
    if (!collective::Neighbors::are_defined(comm)) return std::nullopt;
    neighbors = &collective::Neighbors::of(comm);
    sent = neighbors->destinations.size();
    received = neighbors->sources.size();
  } else {
    int ranks = 0;
    is_inter(comm) ? PMPI_Comm_remote_size(comm, &ranks) : PMPI_Comm_size(comm, &ranks);
    received = static_cast<std::size_t>(ranks);
    if (send != MPI_IN_PLACE) sent = received;
  }
  const auto are_packed = [](const MPI_Datatype* types, std::size_t count) {
    return std::any_of(types, types + count, layout::has_functions);
  };
  if (!are_packed(send_types, sent) && !are_packed(receive_types, received)) return std::nullopt;
  const auto blocks = [&](const auto peers, auto... of) {
    const auto is_absent = [&](std::size_t block) {
      return neighbors != nullptr && (neighbors->*peers)[block] == MPI_PROC_NULL;
    };
    return ranks::charged_to(comm, [&] { return message::PackedBlocks(is_absent, of...); });
  };
  const auto out =
      blocks(&collective::Neighbors::destinations, send, sent, send_counts, send_places, send_types);
  const auto in = blocks(&collective::Neighbors::sources, receive, received, receive_counts, receive_places,
                         receive_types);
  out.load(member);
  if (send == MPI_IN_PLACE) in.load(member);
  const auto exchange_by = [&](const auto& way, auto&... first) {
    return way(first..., send, out.counts.data(), out.places.data(), out.types.data(), receive,
               in.counts.data(), in.places.data(), in.types.data(), comm);
  };
  std::optional<int> code;
  if (&member != &team::alone()) static_cast<void>(((code = exchange_by(Ways, member)) || ...));
  if (!code) code = exchange_by(Native);
  if (*code == MPI_SUCCESS) in.store(member);
  return code;
};

/// An entry whose ways do not know what functions of the program pack.
template <auto Native, auto... Ways>
struct BlocksEntry : Entry<Native, exchange_packed<Native, Ways...>, Ways...> {};

} // namespace

#include "interpose/collectives.inc"
