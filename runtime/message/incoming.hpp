// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "message/announcement.hpp"
#include "message/chunks.hpp"
#include "message/data.hpp"
#include "message/pieces.hpp"
#include "message/ring.hpp"
#include "team/team.hpp"

namespace helper::message {

/// An announced message on its way in. For one thread at a time, in MPI.
class Incoming {
public:
  /// The message that was announced in what a native receive has put into `data`, by its `status`; none if it
  /// was no announcement.
  static std::optional<Incoming> announced(const Data& data, const MPI_Status& status) noexcept;

  /// Unpacks what there is into `data`; false if nothing.
  bool advance(team::Member& member, const Data& data) noexcept;

  bool done() noexcept;

  /// The first error, which MPI has not reported. Of a message that is too large all comes in, and no more is
  /// stored; so it is after other errors.
  int error() const noexcept { return error_; }

  /// Corrects the status of the native receive.
  void correct(MPI_Status& status) const noexcept;

private:
  using Reader = std::variant<ring::Reader, chunks::Reader>;

  Incoming(const Announcement& announcement, Reader reader, int error) noexcept;

  static std::optional<Reader> open(const Announcement& announcement) noexcept;
  static Incoming unknown(int error) noexcept;

  void collect() noexcept;
  void put(const Data& data, std::size_t begin, std::size_t end, const std::byte* packed) noexcept;
  void store_collected(const Data& data) noexcept;

  /// As advance().
  bool unpack(team::Member& member, const Data& data) noexcept;

  bool receive_rest(const Data& data) noexcept;
  int start_rest(std::size_t bytes) noexcept;

  Pieces pieces_;
  Reader reader_;
  int error_;
  std::size_t unpacked_ = 0; // pieces
  unsigned in_vain_ = 0;     // calls of done()
  bool has_begun_ = false;
  trace::Transit under_way_{trace::Stage::receive};
  int sender_;
  int tag_;                                // of the rest
  std::unique_ptr<std::byte[]> collected_; // the message, where MPI is to copy it into the user's buffer
  std::unique_ptr<std::byte[]> rest_;      // of a message whose sender did not wait
  MPI_Request rest_request_ = MPI_REQUEST_NULL;
  int rest_error_ = MPI_SUCCESS;
};

} // namespace helper::message
