// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/arena.hpp"

#include <algorithm>

#include "shm/segment.hpp"

namespace helper::shm {

void Arena::make(const ranks::NodeRanks& node, std::size_t bytes, std::size_t at_once) {
  if (!segment::can_provide()) at_once = bytes;
  for (const segment::SegmentKind kind : segment::kinds) {
    // Ranks may have set different sizes. Half of the memory is left to MPI and the program.
    const std::size_t agreed = node.least(std::min(bytes, segment::room(kind) / 2 / node.count()));
    if (agreed == 0) continue;
    const auto parts = segment::share(node, kind, agreed, segment::Access::read, at_once);
    if (parts.empty()) continue;
    for (std::size_t index = 0; index < parts.size(); ++index)
      parts_[node.in_world()[index]] = {parts[index], static_cast<int>(index)};
    own_ = parts[node.own()];
    size_ = agreed;
    own_index_ = static_cast<int>(node.own());
    is_there_ = std::vector<std::atomic<bool>>((agreed + piece_bytes - 1) / piece_bytes);
    for (std::size_t piece = 0; piece < is_there_.size(); ++piece)
      is_there_[piece] = std::min(agreed, (piece + 1) * piece_bytes) <= at_once;
    return;
  }
}

void Arena::clear() noexcept {
  for (std::size_t piece = 0; piece < is_there_.size(); ++piece) {
    const std::size_t begin = piece * piece_bytes;
    if (is_there_[piece]) std::fill(own_ + begin, own_ + std::min(size_, begin + piece_bytes), std::byte{0});
  }
}

bool Arena::provide(std::size_t offset, std::size_t bytes) noexcept {
  for (std::size_t piece = offset / piece_bytes; piece * piece_bytes < offset + bytes; ++piece) {
    if (is_there_[piece].load(std::memory_order_relaxed)) continue;
    const std::size_t begin = piece * piece_bytes;
    if (!segment::provide(own_ + begin, std::min(piece_bytes, size_ - begin))) return false;
    is_there_[piece].store(true, std::memory_order_relaxed);
  }
  return true;
}

const std::byte* Arena::part(int world_rank) const noexcept {
  const auto found = parts_.find(world_rank);
  return found == parts_.end() ? nullptr : found->second.first;
}

} // namespace helper::shm
