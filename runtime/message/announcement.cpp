// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/announcement.hpp"

#include <cstring>
#include <random>

#include "transport/world.hpp"

namespace helper::message {

namespace {

// Written at MPI_Init.
Announcement::Magic drawn;

} // namespace

void Announcement::draw_magic() {
  std::random_device random;
  for (std::byte& byte : drawn) byte = static_cast<std::byte>(random());
  PMPI_Bcast(drawn.data(), sizeof drawn, MPI_BYTE, 0, transport::world::comm());
}

const Announcement::Magic& Announcement::the_magic() noexcept {
  return drawn;
}

bool Announcement::begins(const Data& data) noexcept {
  Magic first;
  data.pack(0, first.size(), first.data());
  return first == drawn;
}

std::optional<Announcement> Announcement::in(const Data& data, int& error) noexcept {
  std::array<std::byte, sizeof(Announcement)> packed;
  error = data.fetch(packed);
  Announcement announcement;
  std::memcpy(&announcement, packed.data(), packed.size());
  return error == MPI_SUCCESS && announcement.magic == drawn ? std::optional(announcement) : std::nullopt;
}

} // namespace helper::message
