// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The sends and receives.

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "message/message.hpp"
#include "message/packed_bytes.hpp"
#include "ranks/arguments.hpp"

using namespace helper;
using namespace helper::interpose;

// Receives from MPI_PROC_NULL go to blocking functions, which return at once: quirk
// test_leaves_status.
namespace {

/// Carries out a blocking send, announced if that pays; `Start` is the MPI function that starts a send of its
/// mode.
template <auto Start>
constexpr auto announce = [](team::Member& member, auto... arguments) {
  return message::send(member, Start, name_of<Start>, arguments...);
};

/// Does the same without blocking.
template <auto Start>
constexpr auto start_announced =
    [](team::Member& member, auto... arguments) { return message::isend(member, Start, arguments...); };

/// MPI copies the bytes of a buffered send.
constexpr auto buffer_packed = [](team::Member& member, const void* data, auto count, MPI_Datatype type,
                                  int peer, int tag, MPI_Comm comm) -> std::optional<int> {
  if (!layout::has_functions(type)) return std::nullopt;
  const auto bytes = ranks::charged_to(comm, [&] { return message::PackedBytes(data, count, type); });
  if (peer != MPI_PROC_NULL) bytes.load(member);
  return bytes.give(
      [&](int of_bytes, MPI_Datatype as) { return PMPI_Bsend(bytes.data(), of_bytes, as, peer, tag, comm); });
};

template <auto Irecv>
constexpr auto receive = [](team::Member& member, void* buffer, auto count, MPI_Datatype type, int source,
                            int tag, MPI_Comm comm, MPI_Status* status) -> std::optional<int> {
  if (source == MPI_PROC_NULL || !ranks::valid_status(status)) return std::nullopt;
  return lend_with_status<Irecv>(member, buffer, count, type, source, tag, comm, status);
};

template <auto Imrecv>
constexpr auto receive_matched = [](team::Member& member, void* buffer, auto count, MPI_Datatype type,
                                    MPI_Message* message, MPI_Status* status) -> std::optional<int> {
  if (message == nullptr || *message == MPI_MESSAGE_NO_PROC || !ranks::valid_status(status))
    return std::nullopt;
  return lend_with_status<Imrecv>(member, buffer, count, type, message, status);
};

} // namespace

#include "interpose/point_to_point.inc"
