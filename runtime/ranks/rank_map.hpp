// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace helper::ranks {

/// Maps the ranks of one communicator to ranks of another. Evenly spaced ranks, such as those of a row or
/// column of processes, take no memory per rank. Others take an array, which copies share. Never changes.
class RankMap {
public:
  RankMap() = default;

  explicit RankMap(std::vector<int> ranks);

  static RankMap identity(int size) noexcept;

  int size() const noexcept { return size_; }

  /// Returns the rank on the other communicator.
  int operator[](int rank) const noexcept {
    return array_ == nullptr ? first_ + stride_ * rank : array_.get()[rank];
  }

  /// Returns the ranks on the other communicator, by rank.
  std::vector<int> all() const;

private:
  int size_ = 0;
  int first_ = 0;
  int stride_ = 1;
  std::shared_ptr<const int[]> array_; // used if the ranks are not evenly spaced
};

} // namespace helper::ranks
