// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/staging.hpp"

#include <algorithm>
#include <mutex>

#include "lifetime/never_destroyed.hpp"

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

/// The pool is never destroyed: threads may communicate until the process ends.
Pool& pool() {
  static lifetime::NeverDestroyed<Pool> instance;
  return *instance;
}

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

} // namespace helper::pipeline
