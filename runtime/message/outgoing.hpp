// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <variant>

#include "message/announcement.hpp"
#include "message/chunks.hpp"
#include "message/data.hpp"
#include "message/leftovers.hpp"
#include "message/pieces.hpp"
#include "message/ring.hpp"
#include "message/wait.hpp"
#include "team/team.hpp"

namespace helper::message {

/// The modes of a send that can be announced, each as the MPI function that starts it.
using Start = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/// An announced message on its way out. For one thread at a time, in MPI.
class Outgoing {
public:
  /// Smaller messages MPI sends in one piece, as fast or faster.
  static constexpr std::size_t least_bytes = std::size_t{9} * 1024;

  /// A message that may be better announced than sent natively, or must be: see open().
  struct Worthy {
    Data data;
    int receiver; ///< rank in MPI_COMM_WORLD
  };
  static std::optional<Worthy> worthy(const void* buffer, MPI_Count count, MPI_Datatype type, int destination,
                                      MPI_Comm comm);

  /// What a message goes through, and what it takes to rescue it.
  using Writer = std::variant<ring::Writer, chunks::Writer>;
  struct Stream {
    Writer writer;
    Pieces pieces;
    leftovers::Room room;
  };
  /// None if MPI is to carry the message, for a reason that the member records: all is in use, or the
  /// receiver may not understand announcements. One for each small message that would be taken for one.
  static std::optional<Stream> open(const team::Member& member, const Worthy& message);

  Outgoing(const Worthy& message, Stream stream) noexcept;
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  /// Announces the message with `start`. Once; if it fails, which the error handler of `comm` has seen, the
  /// object is of no more use.
  int announce(Start start, int destination, int tag, MPI_Comm comm);

  /// Packs what the receiver has left room for; false if nothing.
  bool advance(team::Member& member) noexcept;

  /// Whether nothing is left to pack.
  bool packed() const noexcept { return packed_ == pieces_.count() || stream_error() != MPI_SUCCESS; }

  /// Whether the user's buffer may be used again and the announcement is sent, as its mode wants it. Rescues
  /// the message when the receiver has taken nothing for long, since MPI does not need the receiver either
  /// once it has posted its receive.
  bool sent(team::Member& member) noexcept;

  /// Once it is sent.
  Code result() const noexcept;

  /// Copies what is not yet packed and hands it to MPI, so that the receiver alone can finish. Without memory
  /// for it, does nothing.
  void rescue() noexcept;

private:
  using Clock = std::chrono::steady_clock;

  template <class Use>
  auto with_writer(const Use& use) {
    return std::visit(use, writer_);
  }

  int stream_error() const noexcept {
    return std::visit([](const auto& writer) { return writer.error(); }, writer_);
  }

  Data data_;
  leftovers::Room room_;
  Writer writer_;
  Pieces pieces_;
  std::size_t packed_ = 0; // pieces
  unsigned in_vain_ = 0;   // calls of sent()
  trace::Transit under_way_{trace::Stage::send};
  Clock::time_point stuck_since_{};
  Code announcement_result_{MPI_SUCCESS};
  MPI_Request announced_ = MPI_REQUEST_NULL;
  alignas(Announcement) std::array<std::byte, Announcement::end_bytes> announcement_{};
};

} // namespace helper::message
