// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace helper::ranks {

/// Maps the ranks of one communicator to ranks of another. It takes no memory per rank if they are evenly
/// spaced there, as all of MPI_COMM_WORLD, one of its rows or columns, and the results of a split by nodes
/// are. Otherwise it has an array, which copies share. It never changes.
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
