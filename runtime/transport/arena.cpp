// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/arena.hpp"

#include <algorithm>
#include <unordered_map>

#include "lifetime/never_destroyed.hpp"
#include "transport/segment.hpp"

namespace helper::transport::arena {

namespace {

// These are written once by make(), before any other thread communicates, and never unmapped, since threads
// may communicate until the process ends.
std::byte* own_part = nullptr;
std::size_t part_size = 0;
int index_on_node = 0;
struct OwnPart {
  const std::byte* address;
  int index;
};
using PartsByRank = std::unordered_map<int, OwnPart>; // of MPI_COMM_WORLD

} // namespace

void make(const NodeRanks& node, std::size_t bytes) {
  for (const segment::Kind kind : segment::kinds) {
    // Ranks may have set different sizes. MPI and the program need memory, too, and are ended where it is
    // used up: half of it is left to them.
    const std::size_t agreed = node.least(std::min(bytes, segment::room(kind) / 2 / node.count()));
    if (agreed == 0) continue;
    const auto parts = segment::share(node, kind, agreed, segment::Access::read);
    if (parts.empty()) continue;
    for (std::size_t index = 0; index < parts.size(); ++index)
      lifetime::sole<PartsByRank>()[node.in_world()[index]] = {parts[index], static_cast<int>(index)};
    own_part = parts[node.own()];
    part_size = agreed;
    index_on_node = static_cast<int>(node.own());
    return;
  }
}

void clear() noexcept {
  std::ranges::fill_n(own_part, static_cast<std::ptrdiff_t>(part_size), std::byte{0});
}

std::byte* own() noexcept {
  return own_part;
}

std::size_t size() noexcept {
  return part_size;
}

bool holds(std::size_t offset, std::size_t bytes) noexcept {
  return offset <= size() && bytes <= size() - offset;
}

const std::byte* part(int world_rank) noexcept {
  const auto& all = lifetime::sole<PartsByRank>();
  const auto found = all.find(world_rank);
  return found == all.end() ? nullptr : found->second.address;
}

int parts() noexcept {
  return static_cast<int>(lifetime::sole<PartsByRank>().size());
}

int own_index() noexcept {
  return index_on_node;
}

int index(int world_rank) noexcept {
  return lifetime::sole<PartsByRank>().at(world_rank).index;
}

} // namespace helper::transport::arena
