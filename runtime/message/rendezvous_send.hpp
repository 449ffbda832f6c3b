// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <variant>

#include "layout/packed_data.hpp"
#include "message/deferred_sends.hpp"
#include "message/mpi_stream.hpp"
#include "message/pieces.hpp"
#include "message/rts.hpp"
#include "message/shm_stream.hpp"
#include "message/wait.hpp"
#include "team/team.hpp"

namespace helper::message {

/// A mode in which an RTS can be sent, as the MPI function that starts it.
using Start = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/// The sender's side of a rendezvous. One thread at a time, in MPI, uses it.
class RendezvousSend {
public:
  /// The least message that goes by a rendezvous: MPI sends smaller ones eagerly, as fast or faster.
  static constexpr std::size_t least_bytes = std::size_t{9} * 1024;

  /// A message that may go by a rendezvous faster than natively, or must go so: see open().
  struct Candidate {
    layout::PackedData data;
    int receiver; ///< rank in MPI_COMM_WORLD
  };
  static std::optional<Candidate> candidate(const void* buffer, MPI_Count count, MPI_Datatype type,
                                            int destination, MPI_Comm comm);

  /// What a message goes through, and what it takes to rescue the message.
  using Writer = std::variant<ShmWriter, MpiWriter>;
  struct Stream {
    Writer writer;
    pipeline::Chunks pieces;
    deferred::Reservation reservation;
  };
  /// Opens the stream for a message; none if MPI is to carry it, for a reason that the member records: all
  /// streams are in use, or the receiver may not understand an RTS. There is one for every small message that
  /// would be taken for an RTS.
  static std::optional<Stream> open(const team::Member& member, const Candidate& message);

  RendezvousSend(const Candidate& message, Stream stream) noexcept;
  RendezvousSend(const RendezvousSend&) = delete;
  RendezvousSend& operator=(const RendezvousSend&) = delete;

  /// Announces the message: sends its RTS with `start`. Is called once; if it fails, which the error handler
  /// of `comm` has seen, the object is of no more use.
  int announce(Start start, int destination, int tag, MPI_Comm comm);

  /// Packs what there is credit for; false if there is none.
  bool advance(team::Member& member) noexcept;

  /// Whether nothing is left to pack.
  bool packed() const noexcept { return packed_ == pieces_.count() || stream_error() != MPI_SUCCESS; }

  /// Whether the user's buffer may be used again and the RTS is sent, as its mode wants it. Rescues the
  /// message when the receiver has taken nothing for long, since MPI does not need the receiver either once
  /// it has posted its receive.
  bool sent(team::Member& member) noexcept;

  /// The result, once the message is sent.
  Code result() const noexcept;

  /// Copies what is not yet packed and hands it to MPI, so that the receiver alone can finish. Does nothing
  /// where memory is short.
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

  layout::PackedData data_;
  deferred::Reservation reservation_;
  Writer writer_;
  pipeline::Chunks pieces_;
  std::size_t packed_ = 0; // pieces
  unsigned in_vain_ = 0;   // calls of sent()
  trace::Transit under_way_{trace::Stage::send};
  Clock::time_point stuck_since_{};
  Code rts_result_{MPI_SUCCESS};
  MPI_Request rts_request_ = MPI_REQUEST_NULL;
  alignas(Rts) std::array<std::byte, Rts::end_bytes> rts_{};
};

} // namespace helper::message
