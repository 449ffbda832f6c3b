// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "shm/posts.hpp"

namespace helper::collective {

/// Pieces that a thread could not take, since the system refused to read another rank's memory. The ranks
/// that have the contributions relay them (shm/posts.hpp). Any thread may call the functions.
class PostponedPieces {
public:
  /// Adds a piece. Throws std::bad_alloc.
  void add(std::size_t piece);

  /// Returns a piece that can be taken now, which is no longer postponed. `did` is set if the call has done
  /// anything. `ranks` are those whose contributions are needed. Throws std::bad_alloc.
  std::optional<std::size_t> next(shm::Posts& posts, std::uint64_t number, const std::vector<int>& ranks,
                                  bool& did);

  /// Returns whether there have been any pieces.
  bool any() const noexcept { return has_any_.load(std::memory_order_relaxed); }

  /// Returns the contribution of one of these ranks; nullptr until all have been relayed.
  const std::vector<std::byte>* contribution(int rank) const noexcept {
    return are_relayed_.load(std::memory_order_acquire) ? &relayed_[static_cast<std::size_t>(rank)].bytes
                                                        : nullptr;
  }

private:
  std::mutex mutex_; // guards pieces_, and relayed_ until are_relayed_ is set
  std::vector<std::size_t> pieces_;
  std::vector<shm::Posts::Relayed> relayed_; // by rank
  // Set once; it orders nothing.
  std::atomic<bool> has_any_{false};
  // Set with release when all that is needed is in relayed_. A thread that loads it with acquire sees that.
  std::atomic<bool> are_relayed_{false};
};

} // namespace helper::collective
