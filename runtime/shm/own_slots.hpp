// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace helper::shm {

/// Returns the distance between slots for chunks of `bytes` bytes. Slots begin on cache lines.
constexpr std::size_t slot_stride(std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  return (bytes + line - 1) / line * line;
}

/// The slots of this process's part of the arena that nobody has leased. A slot is known by its offset in the
/// part. Any thread may call the functions.
class OwnSlots {
public:
  /// Cuts bytes [begin, end) of the part into slots of `bytes` bytes each, at MPI_Init.
  void divide(std::size_t begin, std::size_t end, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    free_.clear(); // of an earlier arena
    const std::size_t stride = slot_stride(bytes);
    for (; begin + stride <= end; begin += stride) free_.push_back(static_cast<std::int64_t>(begin));
  }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return free_.size();
  }

  /// Leases up to `most` slots, but at most half of the free ones, rounded up, so that other primaries find
  /// some. Slots that are leased together are often neighbours.
  std::vector<std::int64_t> lease(std::size_t most) {
    const std::lock_guard lock(mutex_);
    std::ranges::sort(free_);
    const auto first = free_.end() - static_cast<std::ptrdiff_t>(std::min(most, (free_.size() + 1) / 2));
    std::vector<std::int64_t> leased(first, free_.end());
    free_.erase(first, free_.end());
    return leased;
  }

  void give_back(const std::vector<std::int64_t>& leased) {
    const std::lock_guard lock(mutex_);
    free_.insert(free_.end(), leased.begin(), leased.end());
  }

private:
  std::mutex mutex_; // guards free_
  std::vector<std::int64_t> free_;
};

} // namespace helper::shm
