// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/chunks.hpp"

#include <algorithm>
#include <new>

#include "message/tags.hpp"
#include "native/large_counts.hpp"
#include "transport/node.hpp"
#include "transport/request.hpp"
#include "transport/world.hpp"

namespace helper::message::chunks {

namespace {

constexpr std::size_t most_lanes = 4;

} // namespace

Writer::Writer(int world_rank, Pieces pieces)
    : pieces_(pieces), receiver_(world_rank), tag_(tags::next_of_chunks()),
      lanes_(std::make_shared<pipeline::Staging>(pieces.bytes, std::min(pieces.count(), most_lanes))),
      rest_begin_(pieces.count()), requests_(pieces.count(), MPI_REQUEST_NULL), kept_(1) {}

std::size_t Writer::room() noexcept {
  advance();
  return std::min(gone_ + lanes_->count(), pieces_.count());
}

void Writer::put(std::size_t pieces) noexcept {
  put_ = pieces;
  advance();
}

bool Writer::gone() noexcept {
  advance();
  return gone_ == put_;
}

/// Completes the first messages and starts those that are put. What fails is tried again the next time.
void Writer::advance() noexcept {
  for (int done = 1; gone_ < started_; ++gone_) {
    if (PMPI_Test(&requests_[gone_], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done == 0) break;
  }
  for (; started_ < put_; ++started_) {
    const std::size_t begin = pieces_.begin(started_);
    const std::byte* const from =
        started_ < rest_begin_ ? place(started_) : rest_.get() + (begin - pieces_.begin(rest_begin_));
    if (PMPI_Isend_c(from, static_cast<MPI_Count>(pieces_.end(started_) - begin), MPI_BYTE, receiver_, tag_,
                     transport::world::comm(), &requests_[started_]) != MPI_SUCCESS)
      return;
    transport::node::ring(receiver_);
  }
}

bool Writer::copy_rest(const Data& data) noexcept {
  const std::size_t begin = pieces_.begin(put_);
  rest_.reset(new (std::nothrow) std::byte[pieces_.total - begin]);
  if (rest_ == nullptr) return false;
  data.pack(begin, pieces_.total, rest_.get());
  rest_begin_ = put_;
  put_ = pieces_.count();
  return true;
}

bool Writer::rescue(const Data& data, leftovers::Room& room) noexcept {
  if (kept_.empty()) return true;
  if (put_ < pieces_.count() && !copy_rest(data)) return false;
  advance();
  if (started_ < put_) return false;
  leftovers::Leftover& all = kept_.front();
  all.room = std::move(room);
  all.lanes = std::move(lanes_);
  all.bytes = std::move(rest_);
  all.requests = std::move(requests_);
  leftovers::keep(kept_);
  gone_ = put_;
  return true;
}

/// Whether there are buffers to receive into; perhaps later if there is no memory.
bool Reader::has_lanes() noexcept {
  if (lanes_ != nullptr) return true;
  try {
    requests_.assign(std::min(pieces_.count(), most_lanes), MPI_REQUEST_NULL);
    lanes_ = std::make_unique<pipeline::Staging>(pieces_.bytes, requests_.size());
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::size_t Reader::filled() noexcept {
  if (!has_lanes()) return filled_;
  const std::size_t lanes = lanes_->count();
  for (; started_ < std::min(taken_ + lanes, pieces_.count()); ++started_) {
    const std::size_t bytes = pieces_.end(started_) - pieces_.begin(started_);
    if (PMPI_Irecv_c((*lanes_)[started_ % lanes], static_cast<MPI_Count>(bytes), MPI_BYTE, sender_, tag_,
                     transport::world::comm(), &requests_[started_ % lanes]) != MPI_SUCCESS)
      break; // tried again the next time
  }
  while (filled_ < started_ && transport::over(requests_[filled_ % lanes], error_)) {
    ++filled_;
    transport::node::ring(sender_); // MPI may let it go only now
  }
  return filled_;
}

} // namespace helper::message::chunks
