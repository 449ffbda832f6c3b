// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/postponed.hpp"

namespace helper::collective {

void PostponedPieces::add(std::size_t piece) {
  const std::lock_guard lock(mutex_);
  pieces_.push_back(piece);
  has_any_.store(true, std::memory_order_relaxed);
}

std::optional<std::size_t> PostponedPieces::next(shm::Posts& posts, std::uint64_t number,
                                                 const std::vector<int>& ranks, bool& did) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || pieces_.empty()) return std::nullopt;
  if (!are_relayed_.load(std::memory_order_relaxed)) {
    relayed_.resize(static_cast<std::size_t>(posts.ranks()));
    for (const int rank : ranks) {
      shm::Posts::Relayed& its = relayed_[static_cast<std::size_t>(rank)];
      if (!its.is_whole) did |= posts.relay(rank, number, its);
      if (!its.is_whole) return std::nullopt;
    }
    are_relayed_.store(true, std::memory_order_release); // pairs with contribution()
  }
  did = true;
  const std::size_t piece = pieces_.back();
  pieces_.pop_back();
  return piece;
}

} // namespace helper::collective
