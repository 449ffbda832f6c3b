// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/room.hpp"

#include "shm/node_context.hpp"

namespace helper::shm {

void RoomBuffer::divide(std::size_t begin, std::size_t end, std::size_t block, bool is_circular) {
  const std::lock_guard lock(mutex_);
  begin_ = begin;
  block_ = block;
  leased_.assign(begin < end ? (end - begin) / block : 0, 0); // forgets leases of an earlier arena
  next_ = 0;
  is_circular_ = is_circular;
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

Room::Room(RoomBuffer& buffer, std::size_t bytes) noexcept : buffer_(&buffer) {
  const std::lock_guard lock(buffer.mutex_);
  std::vector<char>& leased = buffer.leased_;
  const std::size_t wanted = std::max<std::size_t>((bytes + buffer.block_ - 1) / buffer.block_, 1);
  const auto at = [&](std::size_t block) { return leased.begin() + static_cast<std::ptrdiff_t>(block); };
  const auto find = [&](std::size_t from) {
    return static_cast<std::size_t>(std::search_n(at(from), leased.end(), wanted, 0) - leased.begin());
  };
  std::size_t found = find(buffer.next_);
  if (found == leased.size()) found = find(0);
  buffer.next_ = 0;
  if (found == leased.size() || !arena().provide(buffer.begin_ + found * buffer.block_, bytes)) return;
  std::fill_n(at(found), wanted, 1);
  first_ = found;
  blocks_ = wanted;
  if (buffer.is_circular_) buffer.next_ = found + wanted;
}

Room::~Room() {
  if (blocks_ == 0) return;
  const std::lock_guard lock(buffer_->mutex_);
  std::fill_n(buffer_->leased_.begin() + static_cast<std::ptrdiff_t>(first_), blocks_, 0);
}

std::byte* Room::data() const noexcept {
  return blocks_ == 0 ? nullptr : arena().own() + buffer_->begin_ + first_ * buffer_->block_;
}

} // namespace helper::shm
