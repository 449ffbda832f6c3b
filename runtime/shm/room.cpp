// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/room.hpp"

#include <algorithm>

#include "shm/node_context.hpp"

namespace helper::shm {

namespace {

constexpr std::size_t block_bytes = 4096;
constexpr std::size_t blocks(std::size_t bytes) {
  return (bytes + block_bytes - 1) / block_bytes;
}

RoomBuffer& buffer() noexcept {
  return node_context().rooms;
}

} // namespace

void RoomBuffer::divide(std::size_t begin, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  begin_ = begin;
  leased_.assign(bytes / block_bytes, 0);
  next_ = 0;
}

// Takes no lock: the size of the buffer does not change after divide().
bool Room::pays(std::size_t bytes) noexcept {
  constexpr std::size_t operations = 3;
  return bytes > block_bytes && bytes <= buffer().leased_.size() * block_bytes / operations;
}

Room::Room(std::size_t bytes) noexcept {
  RoomBuffer& all = buffer();
  const std::lock_guard lock(all.mutex_);
  const std::size_t wanted = blocks(bytes);
  const auto find = [&](std::size_t begin) {
    const auto first = all.leased_.begin() + static_cast<std::ptrdiff_t>(begin);
    return static_cast<std::size_t>(std::search_n(first, all.leased_.end(), wanted, 0) - all.leased_.begin());
  };
  std::size_t found = find(all.next_);
  if (found == all.leased_.size()) found = find(0);
  all.next_ = 0;
  if (found == all.leased_.size() || !arena().provide(all.begin_ + found * block_bytes, wanted * block_bytes))
    return;
  std::fill_n(all.leased_.begin() + static_cast<std::ptrdiff_t>(found), wanted, 1);
  first_ = found;
  blocks_ = wanted;
  all.next_ = found + wanted;
}

Room::~Room() {
  if (blocks_ == 0) return;
  RoomBuffer& all = buffer();
  const std::lock_guard lock(all.mutex_);
  std::fill_n(all.leased_.begin() + static_cast<std::ptrdiff_t>(first_), blocks_, 0);
}

std::byte* Room::data() const noexcept {
  return blocks_ == 0 ? nullptr : arena().own() + buffer().begin_ + first_ * block_bytes;
}

} // namespace helper::shm
