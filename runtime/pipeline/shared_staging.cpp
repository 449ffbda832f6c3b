// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/shared_staging.hpp"

#include <algorithm>
#include <mutex>

#include "lifetime/never_destroyed.hpp"
#include "transport/arena.hpp"

namespace helper::pipeline {

namespace {

/// The slots that nobody has leased.
struct FreeSlots {
  std::mutex mutex; // guards offsets
  std::vector<std::int64_t> offsets;
};

/// They are never destroyed: threads may communicate until the process ends.
FreeSlots& free_slots() {
  static lifetime::NeverDestroyed<FreeSlots> instance;
  return *instance;
}

} // namespace

void set_shared_slots(std::size_t begin, std::size_t bytes) {
  FreeSlots& free = free_slots();
  const std::lock_guard lock(free.mutex);
  free.offsets.clear(); // of an earlier arena
  const std::size_t stride = slot_stride(bytes);
  for (std::size_t end = begin + stride; end <= transport::arena::size(); end += stride) {
    free.offsets.push_back(static_cast<std::int64_t>(end - stride));
  }
}

std::size_t free_shared_slots() {
  FreeSlots& free = free_slots();
  const std::lock_guard lock(free.mutex);
  return free.offsets.size();
}

bool are_better_in_rooms(std::size_t bytes, Stores stores) noexcept {
  return stores == Stores::plain && transport::Room::pays(bytes);
}

SharedStaging::SharedStaging(std::size_t most, std::size_t bytes, bool in_rooms) {
  if (in_rooms) take_rooms(most, bytes);
  if (rooms_.empty()) take_slots(most);
}

void SharedStaging::take_rooms(std::size_t count, std::size_t bytes) {
  while (rooms_.size() < count) {
    const transport::Room& room = rooms_.emplace_back(bytes);
    if (room.data() == nullptr) {
      rooms_.clear();
      offsets_.clear();
      return;
    }
    offsets_.push_back(room.data() - transport::arena::own());
  }
}

void SharedStaging::take_slots(std::size_t most) {
  FreeSlots& free = free_slots();
  const std::lock_guard lock(free.mutex);
  // At most half of what is left, rounded up, so that other primaries find something too.
  const auto granted = static_cast<std::ptrdiff_t>(std::min(most, (free.offsets.size() + 1) / 2));
  offsets_.assign(free.offsets.end() - granted, free.offsets.end());
  free.offsets.erase(free.offsets.end() - granted, free.offsets.end());
}

SharedStaging::~SharedStaging() {
  if (!rooms_.empty()) return;
  FreeSlots& free = free_slots();
  const std::lock_guard lock(free.mutex);
  free.offsets.insert(free.offsets.end(), offsets_.begin(), offsets_.end());
}

std::byte* SharedStaging::operator[](std::size_t index) const noexcept {
  return transport::arena::own() + offsets_[index];
}

} // namespace helper::pipeline
