// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/outgoing.hpp"

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

/// What lies together in longer runs MPI sends as fast or faster; of what is not large, or goes without
/// shared memory, all but short runs.
constexpr std::size_t longest_run = 1024;
constexpr std::size_t short_run = 256;
constexpr std::size_t large = std::size_t{32} * 1024;

/// Pieces small enough for the receiver to begin early.
Pieces pieces_of(std::size_t total, std::size_t least, std::size_t most) {
  constexpr std::size_t pieces = 8;
  return {total, std::clamp(total / pieces / least * least, least, most)};
}
Pieces ring_pieces(std::size_t total) {
  return pieces_of(total, std::size_t{4} * 1024, ring::block_bytes);
}
Pieces chunks_of(std::size_t total) {
  return pieces_of(total, std::size_t{16} * 1024, chunks::most_bytes);
}

} // namespace

std::optional<Outgoing::Worthy> Outgoing::worthy(const void* buffer, MPI_Count count, MPI_Datatype type,
                                                 int destination, MPI_Comm comm) {
  if (count <= 0 || destination < 0 || comm == MPI_COMM_NULL || !valid_data(buffer, count, type))
    return std::nullopt;
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  if (element == 0 || count > std::numeric_limits<MPI_Count>::max() / element) return std::nullopt;
  const MPI_Count bytes = count * element;
  if (bytes < MPI_Count{least_bytes} && !Announcement::may_have(bytes)) return std::nullopt;
  auto layout = transport::charged_to(comm, [&] { return layout::Layout::of(type, buffer); });
  if (layout == nullptr || !Announcement::may_have(static_cast<MPI_Count>(layout->head())))
    return std::nullopt;
  const bool is_dense = layout->mean_run() > longest_run;
  if (is_dense && bytes >= MPI_Count{least_bytes}) return std::nullopt;
  const int receiver = transport::charged_to(comm, [&] { return world::rank(comm, destination); });
  if (receiver == MPI_UNDEFINED) return std::nullopt;
  return Worthy{{buffer, count, std::move(layout)}, receiver};
}

std::optional<Outgoing::Stream> Outgoing::open(const team::Member& member, const Worthy& message) {
  const std::size_t bytes = message.data.size();
  const bool is_near = ring::connects(message.receiver);
  if (bytes < least_bytes) { // with another way to send it, nothing may be taken for an announcement
    if (!Announcement::begins(message.data) || (is_near && !ring::looks(message.receiver)))
      return std::nullopt;
    return Stream{chunks::Writer(message.receiver, chunks_of(bytes)), chunks_of(bytes), {}};
  }
  const bool is_short = message.data.mean_run() <= short_run;
  if (is_near ? bytes < large && !is_short : bytes < large || !is_short) return std::nullopt;
  if (!peers::is_ready(message.receiver))
    return member.decline(peers::announce() ? "the receiver is not known to take part"
                                            : "announcements are off");
  auto room = leftovers::Room::of(bytes);
  if (!room) return member.decline("too much waits for receivers that are late");
  if (!is_near)
    return Stream{chunks::Writer(message.receiver, chunks_of(bytes)), chunks_of(bytes), std::move(*room)};
  auto writer = ring::Writer::open(message.receiver, ring_pieces(bytes), message.data.mean_run());
  if (!writer) return member.decline("no stream is left");
  return Stream{std::move(*writer), ring_pieces(bytes), std::move(*room)};
}

Outgoing::Outgoing(const Worthy& message, Stream stream) noexcept
    : data_(message.data), room_(std::move(stream.room)), writer_(std::move(stream.writer)),
      pieces_(stream.pieces) {}

int Outgoing::announce(Start start, int destination, int tag, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(world::comm(), &rank);
  const Announcement announcement{Announcement::the_magic(),
                                  data_.size(),
                                  static_cast<std::uint32_t>(pieces_.bytes),
                                  rank,
                                  with_writer([](auto& writer) { return writer.route(); }),
                                  with_writer([](auto& writer) { return writer.tag(); }),
                                  0};
  std::memcpy(announcement_.data(), &announcement, sizeof announcement);
  const int code = start(announcement_.data(), static_cast<int>(data_.head()), MPI_BYTE, destination, tag,
                         comm, &announced_);
  if (code == MPI_SUCCESS) with_writer([](auto& writer) { writer.announced(); });
  return code;
}

bool Outgoing::advance(team::Member& member) noexcept {
  return with_writer([&](auto& writer) {
    if (packed()) return false;
    const std::size_t end = std::min(writer.room(), packed_ + batch(member));
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

bool Outgoing::sent(team::Member& member) noexcept {
  if (packed() && with_writer([](auto& writer) { return writer.gone(); })) {
    under_way_.arrived(member.track());
    if (announced_ == MPI_REQUEST_NULL) return true;
    const Quiet quiet(world::comm()); // any thread may be here
    announcement_result_.is_own = quiet.is_kept();
    return transport::over(announced_, announcement_result_.code);
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

Code Outgoing::result() const noexcept {
  const int error = stream_error();
  return error != MPI_SUCCESS ? Code{error, true} : announcement_result_;
}

void Outgoing::rescue() noexcept {
  if (with_writer([&](auto& writer) { return writer.rescue(data_, room_); })) packed_ = pieces_.count();
}

} // namespace helper::message
