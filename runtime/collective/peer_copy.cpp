// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/peer_copy.hpp"

#include <algorithm>
#include <array>

namespace helper::collective {

void PeerFetch::operator()(std::size_t begin, std::size_t end) noexcept {
  const auto read = [this](std::size_t at, std::byte* into, std::size_t bytes) {
    if (!transport::peer_memory::read(process, from + at, into, bytes))
      failed.store(true, std::memory_order_relaxed);
  };
  if (to->is_dense()) return read(offset + begin, to->dense() + offset + begin, end - begin);
  std::array<std::byte, std::size_t{32} * 1024> piece; // stays in the first-level cache
  for (std::size_t at = offset + begin; at < offset + end; at += piece.size()) {
    const std::size_t bytes = std::min(piece.size(), offset + end - at);
    read(at, piece.data(), bytes);
    to->unpack(at, at + bytes, piece.data());
  }
}

} // namespace helper::collective
