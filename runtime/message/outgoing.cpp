// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/outgoing.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include "message/profile.hpp"
#include "message/wait.hpp"
#include "pipeline/copy_past_caches.hpp"
#include "transport/mpi_error.hpp"
#include "transport/world.hpp"

namespace helper::message {

namespace {

namespace world = transport::world;

/// Smaller messages, and those whose bytes lie together in longer runs, MPI sends as fast or faster.
constexpr MPI_Count least_bytes = MPI_Count{32} * 1024;
constexpr std::size_t longest_run = 256;

/// Small enough for the receiver to begin early.
std::size_t piece_bytes(std::size_t total) {
  constexpr std::size_t least = std::size_t{4} * 1024;
  constexpr std::size_t pieces = 8;
  return std::clamp(total / pieces / least * least, least, ring::block_bytes);
}

} // namespace

std::optional<Outgoing::Worthy> Outgoing::worthy(const void* buffer, MPI_Count count, MPI_Datatype type,
                                                 int destination, MPI_Comm comm) {
  if (count <= 0 || destination < 0 || comm == MPI_COMM_NULL || !valid_data(buffer, count, type))
    return std::nullopt;
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  if (element == 0 || count > std::numeric_limits<MPI_Count>::max() / element ||
      count * element < least_bytes)
    return std::nullopt;
  const Profile& profile = transport::charged_to(comm, [&]() -> const Profile& { return Profile::of(type); });
  if (profile.layout == nullptr || profile.announcement == 0 || profile.layout->mean_run() > longest_run)
    return std::nullopt;
  const int receiver = transport::charged_to(comm, [&] { return world::rank(comm, destination); });
  if (receiver == MPI_UNDEFINED) return std::nullopt;
  return Worthy{{buffer, count, profile.layout}, profile.announcement, receiver};
}

std::optional<Outgoing::Stream> Outgoing::open(const Worthy& message) {
  if (!ring::reaches(message.receiver)) return std::nullopt;
  const std::size_t bytes = message.data.size();
  auto room = leftovers::Room::of(bytes);
  if (!room) return std::nullopt;
  auto writer = ring::Writer::open(message.receiver, Pieces{bytes, piece_bytes(bytes)}.count());
  if (!writer) return std::nullopt;
  return Stream{std::move(*writer), std::move(*room)};
}

Outgoing::Outgoing(const Worthy& message, Stream stream) noexcept
    : data_(message.data), room_(std::move(stream.room)),
      writer_(std::move(stream.writer)), pieces_{data_.size(), piece_bytes(data_.size())},
      announcement_bytes_(message.announcement), receiver_(message.receiver) {}

int Outgoing::announce(Start start, int destination, int tag, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(world::comm(), &rank);
  const Announcement announcement{Announcement::the_magic(),
                                  data_.size(),
                                  static_cast<std::uint32_t>(pieces_.bytes),
                                  rank,
                                  writer_.route(),
                                  0};
  std::memcpy(announcement_.data(), &announcement, sizeof announcement);
  const int code = start(announcement_.data(), static_cast<int>(announcement_bytes_), MPI_BYTE, destination,
                         tag, comm, &announced_);
  if (code == MPI_SUCCESS) writer_.announced();
  return code;
}

bool Outgoing::advance(team::Member& member) noexcept {
  if (packed()) return false;
  const std::size_t end = std::min(writer_.room(), packed_ + batch(member));
  if (packed_ == end) return false;
  for_each_piece(member, trace::Stage::pack, packed_, end, [this](std::size_t piece) noexcept {
    pipeline::pack_past_caches(data_, pieces_.begin(piece), pieces_.end(piece), writer_.place(piece));
  });
  packed_ = end;
  writer_.put(end);
  stuck_since_ = {};
  return true;
}

bool Outgoing::sent() noexcept {
  if (packed()) {
    int done = 1;
    if (announced_ != MPI_REQUEST_NULL) PMPI_Test(&announced_, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  constexpr unsigned calls_between_pokes = 16;
  constexpr auto long_time = std::chrono::milliseconds(30);
  if (++in_vain_ % calls_between_pokes != 0) return false;
  poke_mpi();
  const auto now = Clock::now();
  if (stuck_since_ == Clock::time_point{}) stuck_since_ = now;
  if (now - stuck_since_ > long_time) rescue();
  return false;
}

void Outgoing::rescue() noexcept {
  if (packed()) return;
  const std::size_t begin = pieces_.begin(packed_);
  if (!leftovers::send(data_, begin, receiver_, writer_.route().tag(), room_)) return;
  writer_.put_last(packed_);
  packed_ = pieces_.count();
}

} // namespace helper::message
