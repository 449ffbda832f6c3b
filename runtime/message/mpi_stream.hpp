// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "layout/packed_data.hpp"
#include "message/deferred_sends.hpp"
#include "message/shm_stream.hpp"
#include "pipeline/staging.hpp"

/// Streams of bytes between processes that share no memory. The team packs each piece into one of a few
/// buffers. MPI sends each piece as a message on the private duplicate of MPI_COMM_WORLD. MpiWriter and
/// MpiReader are used like ShmWriter and ShmReader.
///
/// If MPI fails at one end, the operation there ends with this error. A failed sender ends the stream by an
/// empty message in place of a piece. A failed receiver receives the remaining pieces and drops them.
namespace helper::message {

/// The sender's end of a stream. Threads that may call MPI use it, one at a time.
class MpiWriter {
public:
  static constexpr std::size_t most_bytes = std::size_t{128} * 1024; ///< of a piece

  /// Opens a stream to a rank of MPI_COMM_WORLD. Any number of streams may be open.
  MpiWriter(int world_rank, pipeline::Chunks pieces);

  void announced(bool) noexcept {}
  bool is_held() const noexcept { return false; } // no shared memory shows what the receiver holds
  ShmRoute route() const noexcept { return {}; }
  int tag() const noexcept { return tag_; }

  std::size_t credit() noexcept;
  std::byte* place(std::size_t index) const noexcept { return (*lanes_)[index % lanes_->count()]; }
  void put(std::size_t pieces) noexcept;

  bool gone() noexcept;
  bool rescue(const layout::PackedData& data, deferred::Reservation& reservation) noexcept;

  /// Returns MPI's first error, or MPI_SUCCESS. After an error credit() is 0, and unsent pieces are lost.
  int error() const noexcept { return error_; }

  static void pack(const layout::PackedData& data, std::size_t begin, std::size_t end,
                   std::byte* place) noexcept {
    data.pack(begin, end, place);
  }

private:
  void advance() noexcept;
  void give_up(int error) noexcept;
  void leave() noexcept;

  pipeline::Chunks pieces_;
  int receiver_;
  int tag_;
  int error_ = MPI_SUCCESS;
  std::shared_ptr<pipeline::Staging> lanes_;
  std::unique_ptr<std::byte[]> rest_; // the pieces from rest_begin_ on, if they were copied
  std::size_t rest_begin_;
  std::size_t put_ = 0;               // pieces put
  std::size_t started_ = 0;           // of these, messages that are started
  std::size_t gone_ = 0;              // of these, messages that are complete
  std::vector<MPI_Request> requests_; // of each piece
  deferred::Single kept_;             // keeps a stream that is left to MPI; allocated in advance
};

/// The receiver's end of a stream. Threads that may call MPI use it, one at a time.
class MpiReader {
public:
  MpiReader(int world_rank, int tag, pipeline::Chunks pieces) noexcept
      : pieces_(pieces), sender_(world_rank), tag_(tag) {}

  std::size_t filled() noexcept;
  bool is_last() const noexcept { return false; }
  const std::byte* place(std::size_t index) const noexcept { return (*lanes_)[index % lanes_->count()]; }
  void take(std::size_t pieces) noexcept { taken_ = pieces; }

  /// Returns the first error, or MPI_SUCCESS. After an error filled() counts pieces whose data are lost.
  int error() const noexcept { return error_; }

private:
  bool has_lanes() noexcept;
  void receive() noexcept;
  void give_up(int error) noexcept;
  void discard() noexcept;

  pipeline::Chunks pieces_;
  int sender_;
  int tag_;
  int error_ = MPI_SUCCESS;
  std::unique_ptr<pipeline::Staging> lanes_;
  std::vector<MPI_Request> requests_; // of each lane
  std::size_t taken_ = 0;
  std::size_t started_ = 0; // pieces whose receives are started
  std::size_t filled_ = 0;  // of these, how many are complete; after an error, how many have arrived
};

} // namespace helper::message
