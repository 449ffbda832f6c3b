// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/rendezvous_send.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include "message/peers.hpp"
#include "message/wait.hpp"
#include "transport/mpi_error.hpp"
#include "transport/request.hpp"
#include "transport/traffic.hpp"
#include "transport/world.hpp"

namespace helper::message {

namespace {

namespace world = transport::world;

// MPI sends data that lie in runs beyond the longest as fast or faster; of messages that are not large, or go
// without shared memory, all but those of short runs.
constexpr std::size_t longest_run = 1024;
constexpr std::size_t short_run = 256;
constexpr std::size_t large = std::size_t{32} * 1024;

/// Cuts a message into pieces that are small enough for the receiver to begin early.
pipeline::Chunks pieces_of(std::size_t total, std::size_t least, std::size_t most) {
  constexpr std::size_t pieces = 8;
  return {total, std::clamp(total / pieces / least * least, least, most)};
}
pipeline::Chunks shm_pieces(std::size_t total) {
  return pieces_of(total, std::size_t{4} * 1024, shm_stream::block_bytes);
}
pipeline::Chunks mpi_pieces(std::size_t total) {
  return pieces_of(total, std::size_t{16} * 1024, MpiWriter::most_bytes);
}

} // namespace

std::optional<RendezvousSend::Candidate> RendezvousSend::candidate(const void* buffer, MPI_Count count,
                                                                   MPI_Datatype type, int destination,
                                                                   MPI_Comm comm) {
  if (count <= 0 || destination < 0 || comm == MPI_COMM_NULL || !valid_data(buffer, count, type))
    return std::nullopt;
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  if (element == 0 || count > std::numeric_limits<MPI_Count>::max() / element) return std::nullopt;
  const MPI_Count bytes = count * element;
  if (bytes < MPI_Count{least_bytes} && !Rts::may_have(bytes)) return std::nullopt;
  auto layout = transport::charged_to(comm, [&] { return layout::Layout::of(type, buffer); });
  if (layout == nullptr || !Rts::may_have(static_cast<MPI_Count>(layout->head()))) return std::nullopt;
  const bool is_dense = layout->mean_run() > longest_run;
  if (is_dense && bytes >= MPI_Count{least_bytes}) return std::nullopt;
  const int receiver = transport::charged_to(comm, [&] { return world::rank(comm, destination); });
  if (receiver == MPI_UNDEFINED) return std::nullopt;
  return Candidate{{buffer, count, std::move(layout)}, receiver};
}

std::optional<RendezvousSend::Stream> RendezvousSend::open(const team::Member& member,
                                                           const Candidate& message) {
  const std::size_t bytes = message.data.size();
  const bool is_near = shm_stream::connects(message.receiver);
  if (bytes < least_bytes) { // sent otherwise, it would be taken for an RTS
    if (!Rts::begins(message.data) || (is_near && !shm_stream::looks(message.receiver))) return std::nullopt;
    return Stream{MpiWriter(message.receiver, mpi_pieces(bytes)), mpi_pieces(bytes), {}};
  }
  const bool is_short = message.data.layout().mean_run() <= short_run;
  if (is_near ? bytes < large && !is_short : bytes < large || !is_short) return std::nullopt;
  if (!peers::is_ready(message.receiver))
    return member.decline(peers::announce() ? "the receiver is not known to take part"
                                            : "MPI_HELPER_ANNOUNCE is off");
  auto reservation = deferred::Reservation::of(bytes);
  if (!reservation) return member.decline("too much waits for receivers that are late");
  if (!is_near)
    return Stream{MpiWriter(message.receiver, mpi_pieces(bytes)), mpi_pieces(bytes), std::move(*reservation)};
  auto writer = ShmWriter::open(message.receiver, shm_pieces(bytes), message.data.layout().mean_run());
  if (!writer) return member.decline("no stream is left");
  return Stream{std::move(*writer), shm_pieces(bytes), std::move(*reservation)};
}

RendezvousSend::RendezvousSend(const Candidate& message, Stream stream) noexcept
    : data_(message.data), reservation_(std::move(stream.reservation)), writer_(std::move(stream.writer)),
      pieces_(stream.pieces) {}

int RendezvousSend::announce(Start start, int destination, int tag, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(world::comm(), &rank);
  const Rts rts{Rts::the_magic(),
                data_.size(),
                static_cast<std::uint32_t>(pieces_.bytes()),
                rank,
                with_writer([](auto& writer) { return writer.route(); }),
                with_writer([](auto& writer) { return writer.tag(); }),
                0};
  std::memcpy(rts_.data(), &rts, sizeof rts);
  const int code = start(rts_.data(), static_cast<int>(data_.layout().head()), MPI_BYTE, destination, tag,
                         comm, &rts_request_);
  if (code == MPI_SUCCESS) with_writer([](auto& writer) { writer.announced(); });
  return code;
}

bool RendezvousSend::advance(team::Member& member) noexcept {
  return with_writer([&](auto& writer) {
    if (packed()) return false;
    const std::size_t end = std::min(writer.credit(), packed_ + batch(member));
    if (packed_ >= end) return false;
    for_each_piece(member, trace::Stage::pack, packed_, end, [&](std::size_t piece) noexcept {
      writer.pack(data_, pieces_.begin(piece), pieces_.end(piece), writer.place(piece));
    });
    under_way_.add(member.track(), pieces_.end(end - 1) - pieces_.begin(packed_));
    packed_ = end;
    writer.put(end);
    stuck_since_ = {};
    return true;
  });
}

bool RendezvousSend::sent(team::Member& member) noexcept {
  if (packed() && with_writer([](auto& writer) { return writer.gone(); })) {
    under_way_.arrived(member.track());
    if (rts_request_ == MPI_REQUEST_NULL) return true;
    const ErrorsReturn errors(world::comm()); // any thread may be here
    rts_result_.is_own = errors.is_set();
    return transport::over(rts_request_, rts_result_.code);
  }
  constexpr unsigned calls_between_polls = 16;
  constexpr auto long_time = std::chrono::milliseconds(30);
  if (++in_vain_ % calls_between_polls != 0) return false;
  transport::traffic::poll();
  const auto now = Clock::now();
  if (stuck_since_ == Clock::time_point{}) stuck_since_ = now;
  if (now - stuck_since_ > long_time) rescue();
  return false;
}

Code RendezvousSend::result() const noexcept {
  const int error = stream_error();
  return error != MPI_SUCCESS ? Code{error, true} : rts_result_;
}

void RendezvousSend::rescue() noexcept {
  if (with_writer([&](auto& writer) { return writer.rescue(data_, reservation_); }))
    packed_ = pieces_.count();
}

} // namespace helper::message
