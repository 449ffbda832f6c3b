// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/staging.hpp"

#include <mutex>

#include "lifetime/never_destroyed.hpp"
#include "shm/node_context.hpp"

namespace helper::pipeline {

namespace {

using Memory = std::unique_ptr<std::byte[]>;

struct Pool {
  static constexpr std::size_t most_kept = 64;

  /// Returns a free buffer of this size, or a new buffer, which may replace free buffers of other sizes.
  Memory reuse(std::size_t bytes) {
    const auto fitting =
        std::ranges::find_if(kept, [bytes](const auto& each) { return each.first == bytes; });
    if (fitting != kept.end()) {
      Memory buffer = std::move(fitting->second);
      kept.erase(fitting);
      return buffer;
    }
    std::size_t held = leased + bytes;
    for (const auto& [size, buffer] : kept) held += size;
    while (held > limit && !kept.empty()) {
      held -= kept.front().first;
      kept.erase(kept.begin());
    }
    return std::make_unique_for_overwrite<std::byte[]>(bytes);
  }

  std::mutex mutex; // guards everything below
  std::size_t limit = std::size_t{8} << 20;
  std::size_t leased = 0;
  // Free buffers. first: the size in bytes. Capacity is reserved, so that returning one allocates nothing.
  std::vector<std::pair<std::size_t, Memory>> kept;
};

constexpr auto& pool = lifetime::sole<Pool>;

} // namespace

void set_staging(std::size_t bytes) noexcept {
  const std::lock_guard lock(pool().mutex);
  pool().limit = bytes;
}

std::size_t leased_staging() noexcept {
  const std::lock_guard lock(pool().mutex);
  return pool().leased;
}

// Delegates to another constructor, so that the destructor returns leased buffers if an allocation fails.
Staging::Staging(std::size_t bytes, std::size_t most) : Staging(bytes) {
  if (bytes == 0) {
    buffers_.resize(most);
    return;
  }
  Pool& all = pool();
  const std::lock_guard lock(all.mutex);
  // At most half of the free bytes, so that other primaries find some.
  const std::size_t left = all.limit - std::min(all.limit, all.leased);
  const std::size_t granted = std::min(most, std::max<std::size_t>(left / 2 / bytes, 1));
  buffers_.reserve(granted);
  all.kept.reserve(Pool::most_kept);
  while (buffers_.size() < granted) {
    buffers_.push_back(all.reuse(bytes));
    all.leased += bytes;
  }
}

Staging::Staging(std::size_t bytes, std::size_t most, const transport::Shadow& shadow)
    : Staging(bytes, most) {
  failure_ = &shadow.failure();
}

Staging::~Staging() {
  if (failure_ != nullptr && failure_->left_behind()) abandon();
  Pool& all = pool();
  const std::lock_guard lock(all.mutex);
  for (Memory& buffer : buffers_) {
    all.leased -= bytes_;
    if (buffer != nullptr && bytes_ <= all.limit && all.kept.size() < all.kept.capacity())
      all.kept.emplace_back(bytes_, std::move(buffer));
  }
}

void Staging::abandon() noexcept {
  for (auto& buffer : buffers_) static_cast<void>(buffer.release());
}

bool are_better_in_rooms(std::size_t bytes, Stores stores) noexcept {
  return stores == Stores::plain && shm::node_context().rooms.pays(bytes);
}

SharedStaging::SharedStaging(std::size_t most, std::size_t bytes, bool in_rooms) {
  shm::NodeContext& node = shm::node_context();
  while (in_rooms && count() < most && slots_.emplace_back(node.rooms.lease_next(bytes)) != nullptr) {
  }
  if (slots_.empty() || slots_.back() == nullptr) slots_ = node.slots.lease_first(most, bytes);
}

std::int64_t SharedStaging::offset(std::size_t index) const noexcept {
  return slots_[index].get() - shm::arena().own();
}

} // namespace helper::pipeline
