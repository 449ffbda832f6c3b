// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collective/shares.hpp"

namespace helper::collective {

/// Describes a round of a reduction in rounds: it takes the next piece of every rank's share, and the pieces
/// are packed one behind the other.
class Pieces {
public:
  /// Each round takes up to `most` elements of `element` bytes from each share. `shares` must outlive the
  /// object.
  Pieces(const Shares& shares, std::size_t element, std::size_t most)
      : shares_(shares), element_(element), most_(most), begin_(shares.ranks() + 1) {}

  void start(std::size_t round) {
    round_ = round;
    for (std::size_t rank = 0; rank < shares_.ranks(); ++rank) {
      const std::size_t done = std::min(round * most_, shares_.size(rank));
      begin_[rank + 1] = begin_[rank] + std::min(most_, shares_.size(rank) - done) * element_;
    }
  }

  std::size_t ranks() const { return shares_.ranks(); }

  // All of the following are in bytes.

  /// Returns the size of a rank's piece.
  std::size_t bytes(std::size_t rank) const { return begin_[rank + 1] - begin_[rank]; }
  /// Returns the size of all pieces.
  std::size_t bytes() const { return begin_.back(); }
  /// Returns where a rank's piece begins among the packed ones.
  std::size_t begin(std::size_t rank) const { return begin_[rank]; }
  /// Returns where each piece begins in its share.
  std::size_t before() const { return round_ * most_ * element_; }
  /// Returns where a rank's piece begins in the stream of all elements.
  std::size_t offset(std::size_t rank) const { return shares_.begin(rank) * element_ + before(); }

  /// Calls `visit(rank, at, bytes, packed)` for the parts of pieces that make up the packed bytes [begin,
  /// end): where each begins in the stream of all elements, its length, and where it begins among the packed
  /// ones.
  template <class Visit>
  void for_each_part(std::size_t begin, std::size_t end, const Visit& visit) const {
    auto next = std::ranges::upper_bound(begin_, begin);
    for (std::size_t at = begin; at < end; ++next) {
      const auto rank = static_cast<std::size_t>(next - begin_.begin()) - 1;
      const std::size_t stop = std::min(end, *next);
      if (stop == at) continue; // the rank has no piece
      visit(rank, offset(rank) + (at - begin_[rank]), stop - at, at);
      at = stop;
    }
  }

private:
  const Shares& shares_;
  std::size_t element_;
  std::size_t most_;
  std::size_t round_ = 0;
  std::vector<std::size_t> begin_; // of every rank's piece; at last, their end
};

} // namespace helper::collective
