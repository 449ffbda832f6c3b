// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace helper::collective {

/// This says which of the elements of a reduction each rank owns, that is, reduces: one run per rank, in rank
/// order. Shares are equal at all ranks.
class Shares {
public:
  /// Makes the shares as even as can be.
  static Shares even(std::size_t elements, std::size_t ranks) {
    const std::size_t each = elements / ranks;
    const std::size_t left = elements % ranks;
    return Shares(ranks, [=](std::size_t rank) { return each + (rank < left ? 1 : 0); });
  }

  /// Gives all elements to `owner`.
  static Shares all_to(std::size_t owner, std::size_t elements, std::size_t ranks) {
    return Shares(ranks, [=](std::size_t rank) { return rank == owner ? elements : 0; });
  }

  /// Gives each rank `size(rank)` elements.
  template <class Size>
  Shares(std::size_t ranks, const Size& size) : begin_(ranks + 1) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      begin_[rank + 1] = begin_[rank] + size(rank);
      largest_ = std::max(largest_, this->size(rank));
      if (this->size(rank) != 0) ++owners_;
    }
  }

  std::size_t ranks() const noexcept { return begin_.size() - 1; }
  std::size_t begin(std::size_t rank) const noexcept { return begin_[rank]; }
  std::size_t size(std::size_t rank) const noexcept { return begin_[rank + 1] - begin_[rank]; }
  std::size_t total() const noexcept { return begin_.back(); }
  std::size_t largest() const noexcept { return largest_; }
  /// Returns how many ranks own any elements.
  std::size_t owners() const noexcept { return owners_; }

private:
  std::vector<std::size_t> begin_; // of every rank's run; behind the last, the end
  std::size_t largest_ = 0;
  std::size_t owners_ = 0;
};

} // namespace helper::collective
