// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/incoming.hpp"

#include "message/wait.hpp"

namespace helper::message {

std::optional<Incoming> Incoming::announced(const Data& data, const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  if (!Announcement::may_have(bytes) || data.size() < Announcement::least_bytes) return std::nullopt;
  const auto announcement = Announcement::in(data);
  if (!announcement || announcement->piece == 0 || announcement->piece > ring::block_bytes)
    return std::nullopt;
  const auto reader = ring::Reader::open(announcement->sender, announcement->route);
  if (!reader) return std::nullopt;
  return Incoming({announcement->bytes, announcement->piece}, *reader,
                  announcement->bytes > data.size() ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
}

Incoming::Incoming(Pieces pieces, ring::Reader reader, int error) noexcept
    : pieces_(pieces), reader_(reader), error_(error) {
  if (error_ == MPI_SUCCESS) return;
  reader_.finish();
  unpacked_ = pieces_.count();
}

bool Incoming::advance(team::Member& member, const Data& data) noexcept {
  const std::size_t filled = std::min(reader_.filled(), pieces_.count());
  const std::size_t end = std::min(filled, unpacked_ + batch(member));
  if (unpacked_ >= end) return false;
  for_each_piece(member, trace::Stage::unpack, unpacked_, end, [this, &data](std::size_t piece) noexcept {
    data.unpack(pieces_.begin(piece), pieces_.end(piece), reader_.place(piece));
  });
  unpacked_ = end;
  reader_.take(end);
  return true;
}

bool Incoming::done() noexcept {
  if (unpacked_ == pieces_.count()) return true;
  constexpr unsigned calls_between_pokes = 16;
  if (++in_vain_ % calls_between_pokes == 0) poke_mpi();
  return false;
}

void Incoming::correct(MPI_Status& status) const noexcept {
  if (error_ == MPI_SUCCESS)
    PMPI_Status_set_elements_x(&status, MPI_BYTE, static_cast<MPI_Count>(pieces_.total));
}

} // namespace helper::message
