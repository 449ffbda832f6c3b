// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "message/receive_buffer.hpp"
#include "message/shm_stream.hpp"

namespace helper::message {

/// The request to send (RTS) of a rendezvous: what is sent on the user's communicator in the place of a
/// message whose data come by another way, so that matching and order remain MPI's. It is received into the
/// user's buffer, which the data overwrite. No clear-to-send (CTS) answers it: the stream that it names has
/// credit for the first pieces, and the receiver grants more by taking these.
///
/// On the wire zeros follow it up to the end of a basic element of the message's datatype: MPICH fails to
/// receive parts of one.
struct Rts {
  using Magic = std::array<std::byte, 16>;

  Magic magic;
  std::uint64_t bytes; ///< of the message
  std::uint32_t piece; ///< bytes of a piece of it
  std::int32_t sender; ///< its rank in MPI_COMM_WORLD
  ShmRoute route;      ///< has no blocks where every piece is a message
  std::int32_t tag;    ///< of what MPI sends of it
  std::uint32_t unused;

  static constexpr std::size_t least_bytes = layout::Layout::least_head;
  static constexpr std::size_t end_bytes = 96; ///< on the wire it is shorter than this

  /// Draws what no message of a user's begins with. This is collective over MPI_COMM_WORLD.
  static void draw_magic();
  static const Magic& the_magic() noexcept;

  /// Whether a message of that many bytes may be an RTS.
  static bool may_have(MPI_Count bytes) noexcept {
    return bytes >= MPI_Count{least_bytes} && bytes < MPI_Count{end_bytes};
  }

  /// Whether `data`, of at least least_bytes, which MPI need not copy, begins as every RTS does.
  static bool begins(const layout::PackedData& data) noexcept;

  /// The RTS that `data`, of at least least_bytes, begins with, if any. There is none either where MPI fails
  /// to copy it, with an `error`, which is MPI_SUCCESS otherwise. Only a thread in MPI may call it.
  static std::optional<Rts> in(const ReceiveBuffer& data, int& error) noexcept;
};
static_assert(sizeof(Rts) == Rts::least_bytes);

} // namespace helper::message
