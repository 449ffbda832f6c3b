// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/outgoing.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include "message/profile.hpp"
#include "message/wait.hpp"
#include "transport/arguments.hpp"
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

std::optional<Outgoing::Ticket> Outgoing::ticket(const void* buffer, MPI_Count count, MPI_Datatype type,
                                                 int destination, MPI_Comm comm) {
  if (count <= 0 || destination < 0 || type == MPI_DATATYPE_NULL || comm == MPI_COMM_NULL)
    return std::nullopt;
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  if (element == 0 || count > std::numeric_limits<MPI_Count>::max() / element ||
      count * element < least_bytes)
    return std::nullopt;
  if (!transport::valid_data(buffer, count, type)) return std::nullopt;
  const Profile& profile = Profile::of(type);
  if (profile.layout == nullptr || profile.announcement == 0 || profile.layout->mean_run() > longest_run)
    return std::nullopt;
  const int receiver = world::rank(comm, destination);
  if (receiver == MPI_UNDEFINED || !ring::reaches(receiver)) return std::nullopt;
  Data data(buffer, count, profile.layout);
  const Pieces pieces{data.size(), piece_bytes(data.size())};
  auto writer = ring::Writer::open(receiver, pieces.count());
  if (!writer) return std::nullopt;
  return Ticket{std::move(data), std::move(*writer), profile.announcement};
}

Outgoing::Outgoing(Ticket ticket) noexcept
    : data_(std::move(ticket.data)),
      writer_(std::move(ticket.writer)), pieces_{data_.size(), piece_bytes(data_.size())},
      announcement_bytes_(ticket.announcement) {}

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
  if (code != MPI_SUCCESS) writer_.cancel();
  return code;
}

bool Outgoing::advance(team::Member& member) noexcept {
  if (packed_ == pieces_.count()) return false;
  if (writer_.refused()) {
    packed_ = pieces_.count();
    return true;
  }
  const std::size_t end = std::min(writer_.room(), packed_ + batch(member));
  if (packed_ == end) return false;
  for_each_piece(member, trace::Stage::pack, packed_, end, [this](std::size_t piece) noexcept {
    data_.pack(pieces_.begin(piece), pieces_.end(piece), writer_.place(piece));
  });
  packed_ = end;
  writer_.put(end);
  return true;
}

bool Outgoing::sent() noexcept {
  if (packed_ == pieces_.count()) {
    int done = 1;
    if (announced_ != MPI_REQUEST_NULL) PMPI_Test(&announced_, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  constexpr unsigned calls_between_pokes = 16;
  if (++in_vain_ % calls_between_pokes == 0) poke_mpi();
  return false;
}

} // namespace helper::message
