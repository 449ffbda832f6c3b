// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/peer_copy.hpp"

#include <algorithm>
#include <array>

namespace helper::collective {

bool fetch(pid_t process, const std::byte* from, const pipeline::Stream& to, std::size_t begin,
           std::size_t end) noexcept {
  using transport::peer_memory::read;
  if (to.is_dense()) return read(process, from + begin, to.dense() + begin, end - begin);
  std::array<std::byte, std::size_t{32} * 1024> piece; // it stays in the first-level cache
  for (std::size_t at = begin; at < end; at += piece.size()) {
    const std::size_t bytes = std::min(piece.size(), end - at);
    if (!read(process, from + at, piece.data(), bytes)) return false;
    to.unpack(at, at + bytes, piece.data());
  }
  return true;
}

} // namespace helper::collective
