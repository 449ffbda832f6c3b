// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/arena.hpp"

#include <algorithm>

#include "shm/segment.hpp"

namespace helper::shm {

void Arena::make(const ranks::NodeRanks& node, std::size_t bytes) {
  for (const segment::SegmentKind kind : segment::kinds) {
    // Ranks may have set different sizes. MPI and the program need memory, too, and are ended where it is
    // used up: half of it is left to them.
    const std::size_t agreed = node.least(std::min(bytes, segment::room(kind) / 2 / node.count()));
    if (agreed == 0) continue;
    const auto parts = segment::share(node, kind, agreed, segment::Access::read);
    if (parts.empty()) continue;
    for (std::size_t index = 0; index < parts.size(); ++index)
      parts_[node.in_world()[index]] = {parts[index], static_cast<int>(index)};
    own_ = parts[node.own()];
    size_ = agreed;
    own_index_ = static_cast<int>(node.own());
    return;
  }
}

void Arena::clear() noexcept {
  std::ranges::fill_n(own_, static_cast<std::ptrdiff_t>(size_), std::byte{0});
}

const std::byte* Arena::part(int world_rank) const noexcept {
  const auto found = parts_.find(world_rank);
  return found == parts_.end() ? nullptr : found->second.address;
}

} // namespace helper::shm
