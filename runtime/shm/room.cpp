// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/room.hpp"

#include <utility>

#include "shm/node_context.hpp"

namespace helper::shm {

void RoomReturn::operator()(std::byte* room) const noexcept {
  const std::lock_guard lock(buffer->mutex_);
  std::fill_n(buffer->leased_.begin() + (room - buffer->at(0)) / static_cast<std::ptrdiff_t>(buffer->block_),
              blocks, 0);
}

void RoomBuffer::divide(std::size_t begin, std::size_t end, std::size_t block) {
  const std::lock_guard lock(mutex_);
  leased_.assign(begin < end ? (end - begin) / block : 0, 0); // forgets leases of an earlier arena
  begin_ = begin;
  block_ = block;
  next_ = 0;
}

// Takes no lock: the size of the buffer does not change after divide().
bool RoomBuffer::pays(std::size_t bytes) const noexcept {
  constexpr std::size_t operations = 3;
  return bytes > block_ && bytes <= leased_.size() * block_ / operations;
}

std::size_t RoomBuffer::free_blocks() noexcept {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count(leased_, 0));
}

Room RoomBuffer::lease_next(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const std::size_t wanted = (bytes + block_ - 1) / block_;
  const auto find = [&](std::size_t from) {
    const auto first = leased_.begin() + static_cast<std::ptrdiff_t>(from);
    return static_cast<std::size_t>(std::search_n(first, leased_.end(), wanted, 0) - leased_.begin());
  };
  std::size_t found = find(next_);
  if (found == leased_.size()) found = find(0);
  next_ = 0;
  if (found == leased_.size() || !provide(found, bytes)) return {};
  std::fill_n(leased_.begin() + static_cast<std::ptrdiff_t>(found), wanted, 1);
  next_ = found + wanted;
  return Room(at(found), {this, wanted});
}

std::vector<Room> RoomBuffer::lease_first(std::size_t most, std::size_t bytes) {
  std::vector<Room> rooms;
  rooms.reserve(most);
  const std::lock_guard lock(mutex_);
  const auto free = static_cast<std::size_t>(std::ranges::count(leased_, 0));
  std::size_t left = std::min(most, (free + 1) / 2);
  for (std::size_t block = 0; left != 0; ++block) {
    if (std::exchange(leased_[block], char{1}) != 0) continue;
    --left;
    if (provide(block, bytes)) rooms.emplace_back(at(block), RoomReturn{this, 1});
  }
  return rooms;
}

std::byte* RoomBuffer::at(std::size_t block) const noexcept {
  return arena().own() + begin_ + block * block_;
}

bool RoomBuffer::provide(std::size_t block, std::size_t bytes) const noexcept {
  return arena().provide(begin_ + block * block_, bytes);
}

} // namespace helper::shm
