// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

#include "message/announcement.hpp"
#include "message/data.hpp"
#include "message/pieces.hpp"
#include "message/ring.hpp"
#include "team/team.hpp"

namespace helper::message {

/// The modes of a send that can be announced, each as the MPI function that starts it.
using Start = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/// An announced message on its way out. For one thread at a time, in MPI.
class Outgoing {
public:
  /// What a message needs to be announced; none if it is to be sent natively.
  struct Ticket {
    Data data;
    ring::Writer writer;
    std::size_t announcement; ///< bytes
  };
  static std::optional<Ticket> ticket(const void* buffer, MPI_Count count, MPI_Datatype type, int destination,
                                      MPI_Comm comm);

  explicit Outgoing(Ticket ticket) noexcept;
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  /// Announces the message with `start`. Once; if it fails, which the error handler of `comm` has seen, the
  /// object is of no more use.
  int announce(Start start, int destination, int tag, MPI_Comm comm);

  /// Packs what the receiver has left room for; false if nothing.
  bool advance(team::Member& member) noexcept;

  /// Whether the user's buffer may be used again and the announcement is sent, as its mode wants it.
  bool sent() noexcept;

private:
  Data data_;
  ring::Writer writer_;
  Pieces pieces_;
  std::size_t announcement_bytes_;
  std::size_t packed_ = 0; // pieces
  unsigned in_vain_ = 0;   // calls of sent()
  MPI_Request announced_ = MPI_REQUEST_NULL;
  alignas(Announcement) std::array<std::byte, Announcement::end_bytes> announcement_{};
};

} // namespace helper::message
