// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/room.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "lifetime/never_destroyed.hpp"
#include "shm/node_context.hpp"

namespace helper::shm {

namespace {

constexpr std::size_t block_bytes = 4096;
constexpr std::size_t blocks(std::size_t bytes) {
  return (bytes + block_bytes - 1) / block_bytes;
}

struct Buffer {
  std::mutex mutex;         // guards what follows
  std::size_t begin = 0;    // offset in the process's part of the arena
  std::vector<char> leased; // whether each block is leased
  std::size_t next = 0;     // the first block to try next
};

} // namespace

void Room::start(std::size_t begin, std::size_t bytes) {
  Buffer& all = lifetime::sole<Buffer>();
  const std::lock_guard lock(all.mutex);
  all.begin = begin;
  all.leased.assign(bytes / block_bytes, 0);
  all.next = 0;
}

// Takes no lock: the size of the buffer does not change after start().
bool Room::pays(std::size_t bytes) noexcept {
  constexpr std::size_t operations = 3;
  return bytes > block_bytes && bytes <= lifetime::sole<Buffer>().leased.size() * block_bytes / operations;
}

Room::Room(std::size_t bytes) noexcept {
  Buffer& all = lifetime::sole<Buffer>();
  const std::lock_guard lock(all.mutex);
  const std::size_t wanted = blocks(bytes);
  const auto find = [&](std::size_t begin) {
    const auto first = all.leased.begin() + static_cast<std::ptrdiff_t>(begin);
    return static_cast<std::size_t>(std::search_n(first, all.leased.end(), wanted, 0) - all.leased.begin());
  };
  std::size_t found = find(all.next);
  if (found == all.leased.size()) found = find(0);
  all.next = 0;
  if (found == all.leased.size() || !arena().provide(all.begin + found * block_bytes, wanted * block_bytes))
    return;
  std::fill_n(all.leased.begin() + static_cast<std::ptrdiff_t>(found), wanted, 1);
  first_ = found;
  blocks_ = wanted;
  all.next = found + wanted;
}

Room::~Room() {
  if (blocks_ == 0) return;
  Buffer& all = lifetime::sole<Buffer>();
  const std::lock_guard lock(all.mutex);
  std::fill_n(all.leased.begin() + static_cast<std::ptrdiff_t>(first_), blocks_, 0);
}

std::byte* Room::data() const noexcept {
  return blocks_ == 0 ? nullptr : arena().own() + lifetime::sole<Buffer>().begin + first_ * block_bytes;
}

} // namespace helper::shm
