// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace helper::ranks {

/// This says what the ranks of one communicator are on another. It takes no memory for each of them if they
/// are evenly spaced there, as all of MPI_COMM_WORLD, a row or a column of it, and what a split by nodes
/// makes are; otherwise it has an array, which copies share. It never changes.
class RankMap {
public:
  /// Makes a map of no ranks.
  RankMap() = default;

  /// Makes the map of these ranks.
  explicit RankMap(std::vector<int> ranks);

  /// Makes the map of a communicator on itself.
  static RankMap identity(int size) noexcept;

  int size() const noexcept { return size_; }

  /// Returns what the rank is on the other communicator.
  int operator[](int rank) const noexcept {
    return array_ == nullptr ? first_ + stride_ * rank : array_.get()[rank];
  }

  /// Returns all of them.
  std::vector<int> all() const;

private:
  int size_ = 0;
  int first_ = 0;
  int stride_ = 1;
  std::shared_ptr<const int[]> array_; // if they are not evenly spaced
};

} // namespace helper::ranks
