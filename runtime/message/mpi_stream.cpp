// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/mpi_stream.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "message/wait.hpp"
#include "native/large_counts.hpp"
#include "ranks/world.hpp"
#include "shm/node_context.hpp"

namespace helper::message {

namespace {

namespace world = ranks::world;

constexpr std::size_t most_lanes = 4;

/// Returns whether the message with this status ends the stream.
bool is_end(const MPI_Status& status) noexcept {
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  return bytes == 0;
}

} // namespace

MpiWriter::MpiWriter(int world_rank, pipeline::Chunks pieces)
    : pieces_(pieces), receiver_(world_rank), tag_(tags::draw()),
      lanes_(std::make_shared<pipeline::Staging>(pieces.bytes(), std::min(pieces.count(), most_lanes))),
      rest_begin_(pieces.count()), requests_(pieces.count(), MPI_REQUEST_NULL), kept_(1) {}

std::size_t MpiWriter::credit() noexcept {
  advance();
  return error_ != MPI_SUCCESS ? 0 : std::min(gone_ + lanes_->count(), pieces_.count());
}

void MpiWriter::put(std::size_t pieces) noexcept {
  put_ = pieces;
  advance();
}

bool MpiWriter::gone() noexcept {
  advance();
  return gone_ == put_;
}

/// Tests the oldest messages in flight, and starts to send the pieces that were put since the last call.
void MpiWriter::advance() noexcept {
  if (gone_ == put_) return;
  const ErrorsReturn errors(world::comm());
  for (; gone_ < started_; ++gone_) {
    int done = 0;
    const int code = PMPI_Test(&requests_[gone_], &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return give_up(code);
    if (done == 0) break;
  }
  for (; started_ < put_; ++started_) {
    const std::size_t begin = pieces_.begin(started_);
    const std::byte* const from =
        started_ < rest_begin_ ? place(started_) : rest_.get() + (begin - pieces_.begin(rest_begin_));
    const int code = PMPI_Isend_c(from, static_cast<MPI_Count>(pieces_.end(started_) - begin), MPI_BYTE,
                                  receiver_, tag_, world::comm(), &requests_[started_]);
    if (code != MPI_SUCCESS) return give_up(code);
    shm::node_state().ring(receiver_);
  }
}

/// Gives up after an error. Ends the stream if pieces have not been sent. Leaves messages in flight to MPI.
void MpiWriter::give_up(int error) noexcept {
  error_ = error;
  if (started_ < pieces_.count() &&
      PMPI_Isend(nullptr, 0, MPI_BYTE, receiver_, tag_, world::comm(), &requests_[started_]) == MPI_SUCCESS)
    shm::node_state().ring(receiver_);
  leave();
}

/// Lets MPI finish the messages in flight: keeps their memory, so that this object may be destroyed.
void MpiWriter::leave() noexcept {
  deferred::DeferredSend& all = kept_.front();
  all.lanes = std::move(lanes_);
  all.bytes = std::move(rest_);
  all.requests = std::move(requests_);
  deferred::keep(kept_);
  gone_ = put_;
}

bool MpiWriter::rescue(const layout::PackedData& data, deferred::Reservation& reservation) noexcept {
  if (kept_.empty()) return true;
  if (put_ < pieces_.count()) {
    const std::size_t begin = pieces_.begin(put_);
    rest_.reset(new (std::nothrow) std::byte[pieces_.total() - begin]);
    if (rest_ == nullptr) return false;
    data.pack(begin, pieces_.total(), rest_.get());
    rest_begin_ = std::exchange(put_, pieces_.count());
  }
  advance();
  if (kept_.empty()) return true;
  kept_.front().reservation = std::move(reservation);
  leave();
  return true;
}

/// Returns whether there are receive buffers. The first call allocates them.
bool MpiReader::has_lanes() noexcept {
  if (lanes_ != nullptr) return true;
  try {
    requests_.assign(std::min(pieces_.count(), most_lanes), MPI_REQUEST_NULL);
    lanes_ = std::make_unique<pipeline::Staging>(pieces_.bytes(), requests_.size());
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::size_t MpiReader::filled() noexcept {
  if (filled_ >= pieces_.count()) return filled_;
  const ErrorsReturn errors(world::comm());
  if (error_ == MPI_SUCCESS) receive();
  if (error_ != MPI_SUCCESS) discard();
  return filled_;
}

void MpiReader::receive() noexcept {
  if (!has_lanes()) return give_up(MPI_ERR_NO_MEM);
  const std::size_t lanes = lanes_->count();
  for (; started_ < std::min(taken_ + lanes, pieces_.count()); ++started_) {
    const std::size_t bytes = pieces_.end(started_) - pieces_.begin(started_);
    const int code = PMPI_Irecv_c((*lanes_)[started_ % lanes], static_cast<MPI_Count>(bytes), MPI_BYTE,
                                  sender_, tag_, world::comm(), &requests_[started_ % lanes]);
    if (code != MPI_SUCCESS) return give_up(code);
  }
  while (filled_ < started_) {
    MPI_Request& request = requests_[filled_ % lanes];
    int done = 0;
    MPI_Status status;
    const int code = PMPI_Test(&request, &done, &status);
    if (code == MPI_SUCCESS && done == 0) return;
    const bool is_over = code == MPI_SUCCESS && is_end(status);
    if (request == MPI_REQUEST_NULL) filled_ = is_over ? pieces_.count() : filled_ + 1;
    if (code != MPI_SUCCESS || is_over) return give_up(is_over ? MPI_ERR_OTHER : code);
    shm::node_state().ring(sender_); // its send may have completed only now
  }
}

/// Gives up after an error: posts no further receive, and allocates no memory.
void MpiReader::give_up(int error) noexcept {
  error_ = error;
  for (MPI_Request& request : requests_) {
    if (request == MPI_REQUEST_NULL) continue;
    int cancelled = 0;
    MPI_Status status;
    PMPI_Cancel(&request);
    const int code = PMPI_Wait(&request, &status); // local, having been cancelled
    if (code == MPI_SUCCESS) PMPI_Test_cancelled(&status, &cancelled);
    if (cancelled == 0) ++filled_;
    if (request == MPI_REQUEST_NULL) continue;
    PMPI_Request_free(&request);
    lanes_->abandon();
  }
}

void MpiReader::discard() noexcept {
  static std::array<std::byte, MpiWriter::most_bytes> nowhere; // many threads may receive into it; none reads
  for (; filled_ < pieces_.count(); ++filled_) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int code = PMPI_Improbe(sender_, tag_, world::comm(), &found, &message, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && found == 0) return;
    if (code == MPI_SUCCESS)
      code = PMPI_Mrecv(nowhere.data(), static_cast<int>(nowhere.size()), MPI_BYTE, &message, &status);
    if (code != MPI_SUCCESS || is_end(status)) filled_ = pieces_.count() - 1;
    shm::node_state().ring(sender_);
  }
}

} // namespace helper::message
