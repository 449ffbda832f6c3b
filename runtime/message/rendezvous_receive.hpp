// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "message/mpi_stream.hpp"
#include "message/pieces.hpp"
#include "message/receive_buffer.hpp"
#include "message/rts.hpp"
#include "message/shm_stream.hpp"
#include "team/team.hpp"

namespace helper::message {

/// The receiver's side of a rendezvous. One thread at a time, in MPI, uses it.
class RendezvousReceive {
public:
  /// The rendezvous whose RTS a native receive with this status has put into `data`; none if what has come is
  /// no RTS.
  static std::optional<RendezvousReceive> of(const ReceiveBuffer& data, const MPI_Status& status) noexcept;

  /// Unpacks what has come into `data`; false if nothing has.
  bool advance(team::Member& member, const ReceiveBuffer& data) noexcept;

  bool done() noexcept;

  /// The first error, which MPI has not reported. After it the rest of the message still comes in, and is not
  /// stored; so it is with a message that is too large.
  int error() const noexcept { return error_; }

  /// Makes the status of the native receive that of the message.
  void correct(MPI_Status& status) const noexcept;

private:
  using Reader = std::variant<ShmReader, MpiReader>;

  RendezvousReceive(const Rts& rts, Reader reader, int error) noexcept;

  static std::optional<Reader> open(const Rts& rts) noexcept;
  static RendezvousReceive failed(int error) noexcept;

  void collect() noexcept;
  void put(const ReceiveBuffer& data, std::size_t begin, std::size_t end, const std::byte* packed) noexcept;
  void store_collected(const ReceiveBuffer& data) noexcept;

  /// As advance().
  bool unpack(team::Member& member, const ReceiveBuffer& data) noexcept;

  bool receive_rest(const ReceiveBuffer& data) noexcept;
  int start_rest(std::size_t bytes) noexcept;

  pipeline::Chunks pieces_;
  Reader reader_;
  int error_;
  std::size_t unpacked_ = 0; // pieces
  unsigned in_vain_ = 0;     // calls of done()
  bool has_begun_ = false;
  trace::Transit under_way_{trace::Stage::receive};
  int sender_;
  int tag_; // of the rest
  std::unique_ptr<std::byte[]>
      collected_;                     // holds the message, where MPI is to copy it into the user's buffer
  std::unique_ptr<std::byte[]> rest_; // holds the rest of a message whose sender did not wait
  MPI_Request rest_request_ = MPI_REQUEST_NULL;
  int rest_error_ = MPI_SUCCESS;
};

} // namespace helper::message
