// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/rts.hpp"

#include <cstring>
#include <random>

#include "transport/world.hpp"

namespace helper::message {

namespace {

// draw_magic() writes it.
Rts::Magic drawn;

} // namespace

void Rts::draw_magic() {
  std::random_device random;
  for (std::byte& byte : drawn) byte = static_cast<std::byte>(random());
  PMPI_Bcast(drawn.data(), sizeof drawn, MPI_BYTE, 0, transport::world::comm());
}

const Rts::Magic& Rts::the_magic() noexcept {
  return drawn;
}

bool Rts::begins(const layout::PackedData& data) noexcept {
  Magic first;
  data.pack(0, first.size(), first.data());
  return first == drawn;
}

std::optional<Rts> Rts::in(const ReceiveBuffer& data, int& error) noexcept {
  std::array<std::byte, sizeof(Rts)> packed;
  error = data.fetch(packed);
  Rts rts;
  std::memcpy(&rts, packed.data(), packed.size());
  return error == MPI_SUCCESS && rts.magic == drawn ? std::optional(rts) : std::nullopt;
}

} // namespace helper::message
