// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/rendezvous_receive.hpp"

#include <cstring>
#include <new>

#include "message/wait.hpp"
#include "native/large_counts.hpp"
#include "transport/request.hpp"
#include "transport/traffic.hpp"
#include "transport/world.hpp"

namespace helper::message {

std::optional<RendezvousReceive> RendezvousReceive::of(const ReceiveBuffer& data,
                                                       const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  if (!Rts::may_have(bytes) || data.size() < Rts::least_bytes) return std::nullopt;
  int error = MPI_SUCCESS;
  const auto rts = Rts::in(data, error);
  if (error != MPI_SUCCESS) return failed(error);
  if (!rts) return std::nullopt;
  auto reader = open(*rts);
  if (!reader) return std::nullopt;
  RendezvousReceive in(*rts, std::move(*reader), rts->bytes > data.size() ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  if (data.is_by_mpi()) in.collect();
  return in;
}

/// The receive of a message of which MPI fails to say whether it is an RTS: nothing more comes, and there is
/// an error.
RendezvousReceive RendezvousReceive::failed(int error) noexcept {
  Rts nothing{};
  nothing.piece = 1;
  return {nothing, MpiReader(0, 0, {0, nothing.piece}), error};
}

/// Has unpack() put the whole message together, for MPI to copy.
void RendezvousReceive::collect() noexcept {
  if (error_ != MPI_SUCCESS) return;
  collected_.reset(new (std::nothrow) std::byte[pieces_.total()]);
  if (collected_ == nullptr) error_ = MPI_ERR_NO_MEM;
}

void RendezvousReceive::put(const ReceiveBuffer& data, std::size_t begin, std::size_t end,
                            const std::byte* packed) noexcept {
  if (collected_ != nullptr)
    std::memcpy(collected_.get() + begin, packed, end - begin);
  else
    data.unpack(begin, end, packed);
}

void RendezvousReceive::store_collected(const ReceiveBuffer& data) noexcept {
  if (collected_ == nullptr || error_ != MPI_SUCCESS) return;
  error_ = data.store({collected_.get(), pieces_.total()});
  collected_.reset();
}

/// The reader of the stream that the RTS names; none where the RTS makes no sense.
std::optional<RendezvousReceive::Reader> RendezvousReceive::open(const Rts& rts) noexcept {
  const bool is_near = rts.route.blocks != 0;
  if (rts.piece == 0 || rts.piece > (is_near ? shm_stream::block_bytes : MpiWriter::most_bytes))
    return std::nullopt;
  if (is_near) return ShmReader::open(rts.sender, rts.route);
  return MpiReader(rts.sender, rts.tag, {rts.bytes, rts.piece});
}

RendezvousReceive::RendezvousReceive(const Rts& rts, Reader reader, int error) noexcept
    : pieces_{rts.bytes, rts.piece}, reader_(std::move(reader)), error_(error), sender_(rts.sender),
      tag_(rts.tag) {}

bool RendezvousReceive::advance(team::Member& member, const ReceiveBuffer& data) noexcept {
  if (!has_begun_) under_way_.add(member.track(), pieces_.total());
  has_begun_ = true;
  const bool advanced = unpack(member, data);
  if (advanced && unpacked_ == pieces_.count()) {
    store_collected(data);
    under_way_.arrived(member.track());
  }
  return advanced;
}

bool RendezvousReceive::unpack(team::Member& member, const ReceiveBuffer& data) noexcept {
  return std::visit(
      [&](auto& reader) {
        if (unpacked_ == pieces_.count()) return false;
        const bool is_last = reader.is_last(); // then what is filled is final
        const std::size_t filled = std::min(reader.filled(), pieces_.count());
        const std::size_t end = std::min(filled, unpacked_ + batch(member));
        if (error_ == MPI_SUCCESS) error_ = reader.error();
        if (unpacked_ >= end) return is_last && receive_rest(data);
        if (error_ == MPI_SUCCESS) {
          for_each_piece(member, trace::Stage::unpack, unpacked_, end, [&](std::size_t piece) noexcept {
            put(data, pieces_.begin(piece), pieces_.end(piece), reader.place(piece));
          });
        }
        unpacked_ = end;
        reader.take(end);
        return true;
      },
      reader_);
}

/// Starts to receive the rest. What it fails to receive stays in MPI, and its sender does not wait for it.
int RendezvousReceive::start_rest(std::size_t bytes) noexcept {
  rest_.reset(new (std::nothrow) std::byte[bytes]);
  if (rest_ == nullptr) return MPI_ERR_NO_MEM;
  return PMPI_Irecv_c(rest_.get(), static_cast<MPI_Count>(bytes), MPI_BYTE, sender_, tag_,
                      transport::world::comm(), &rest_request_);
}

bool RendezvousReceive::receive_rest(const ReceiveBuffer& data) noexcept {
  const std::size_t begin = pieces_.begin(unpacked_);
  {
    const ErrorsReturn errors(transport::world::comm());
    if (rest_ == nullptr) rest_error_ = start_rest(pieces_.total() - begin);
    if (!transport::over(rest_request_, rest_error_)) return false;
  }
  if (error_ == MPI_SUCCESS) error_ = rest_error_;
  if (error_ == MPI_SUCCESS) put(data, begin, pieces_.total(), rest_.get());
  if (rest_request_ != MPI_REQUEST_NULL) static_cast<void>(rest_.release()); // MPI may still write to it
  unpacked_ = pieces_.count();
  std::visit([&](auto& reader) { reader.take(unpacked_); }, reader_);
  return true;
}

bool RendezvousReceive::done() noexcept {
  if (unpacked_ == pieces_.count()) return true;
  constexpr unsigned calls_between_polls = 16;
  if (++in_vain_ % calls_between_polls == 0) transport::traffic::poll();
  return false;
}

void RendezvousReceive::correct(MPI_Status& status) const noexcept {
  if (error_ == MPI_SUCCESS)
    PMPI_Status_set_elements_x(&status, MPI_BYTE, static_cast<MPI_Count>(pieces_.total()));
}

} // namespace helper::message
