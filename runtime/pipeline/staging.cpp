// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/staging.hpp"

#include <algorithm>
#include <mutex>

#include "lifetime/never_destroyed.hpp"
#include "transport/arena.hpp"

namespace helper::pipeline {

namespace {

using Memory = std::unique_ptr<std::byte[]>;

class Pool {
public:
  void set_limit(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
  }

  /// Appends to `buffers`, as far as it gets before it throws std::bad_alloc. Takes at most half of what is
  /// left, so that other primaries find something too.
  void take(std::size_t bytes, std::size_t most, std::vector<Memory>& buffers) {
    const std::lock_guard lock(mutex_);
    const std::size_t left = limit_ - std::min(limit_, leased_);
    const std::size_t granted = std::min(most, std::max<std::size_t>(left / 2 / bytes, 1));
    buffers.reserve(granted);
    kept_.reserve(most_kept);
    while (buffers.size() < granted) {
      buffers.push_back(reuse(bytes));
      leased_ += bytes;
    }
  }

  void give_back(std::size_t bytes, std::vector<Memory>& buffers) noexcept {
    const std::lock_guard lock(mutex_);
    for (Memory& buffer : buffers) {
      leased_ -= bytes;
      if (buffer != nullptr && kept_.size() < kept_.capacity()) kept_.push_back({bytes, std::move(buffer)});
    }
  }

  std::size_t leased() noexcept {
    const std::lock_guard lock(mutex_);
    return leased_;
  }

private:
  struct Kept {
    std::size_t bytes;
    Memory buffer;
  };
  static constexpr std::size_t most_kept = 64;

  /// A buffer of this very size that was given back, or a new one in the place of one of another size.
  Memory reuse(std::size_t bytes) {
    const auto fitting = std::ranges::find(kept_, bytes, &Kept::bytes);
    if (fitting != kept_.end()) {
      Memory buffer = std::move(fitting->buffer);
      kept_.erase(fitting);
      return buffer;
    }
    std::size_t held = leased_ + bytes;
    for (const Kept& kept : kept_) held += kept.bytes;
    while (held > limit_ && !kept_.empty()) {
      held -= kept_.front().bytes;
      kept_.erase(kept_.begin());
    }
    return std::make_unique_for_overwrite<std::byte[]>(bytes);
  }

  std::mutex mutex_; // guards everything below
  std::size_t limit_ = std::size_t{8} << 20;
  std::size_t leased_ = 0;
  std::vector<Kept> kept_; // has room for as many as there may be, so that giving back takes no memory
};

constexpr auto& pool = lifetime::sole<Pool>;

} // namespace

void set_staging(std::size_t bytes) noexcept {
  pool().set_limit(bytes);
}

std::size_t leased_staging() noexcept {
  return pool().leased();
}

// Delegates, so that what was taken before an allocation fails is given back.
Staging::Staging(std::size_t bytes, std::size_t most) : Staging(bytes) {
  if (bytes != 0) pool().take(bytes, most, buffers_);
}

Staging::Staging(std::size_t bytes, std::size_t most, const transport::Shadow& shadow)
    : Staging(bytes, most) {
  failure_ = &shadow.failure();
}

Staging::~Staging() {
  if (failure_ != nullptr && failure_->left_behind()) abandon();
  pool().give_back(bytes_, buffers_);
}

void Staging::abandon() noexcept {
  for (auto& buffer : buffers_) static_cast<void>(buffer.release());
}

namespace {

/// The slots that nobody has leased.
struct FreeSlots {
  std::mutex mutex; // guards offsets
  std::vector<std::int64_t> offsets;
};

constexpr auto& free_slots = lifetime::sole<FreeSlots>;

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
