// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "collective/rank_order.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// The consecutive elements that each rank owns and reduces, in rank order. Computed equally at all ranks.
class Shares {
public:
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
  std::size_t owners() const noexcept { return owners_; }

private:
  std::vector<std::size_t> begin_; // start of every rank's run, followed by the end of the last
  std::size_t largest_ = 0;
  std::size_t owners_ = 0;
};

/// Who gets the results of a reduction in which each rank reduces its share, from the view of one rank.
class Results {
public:
  /// Gives every rank all results.
  static Results to_all(const pipeline::Stream& to) { return {Receivers::to_all, &to, false}; }
  /// Gives all results to the root, the only rank with a `to`.
  static Results to_root(const pipeline::Stream* to) { return {Receivers::to_root, to, false}; }
  /// Gives each rank the results of its share, at the start of `to`, which is nullptr at ranks without a
  /// share. If `in_place`, the results overwrite contributions of this rank to other shares.
  static Results to_owners(const pipeline::Stream* to, bool in_place) {
    return {Receivers::to_owners, to, in_place};
  }

  const pipeline::Stream* to() const noexcept { return to_; }
  /// Returns whether other ranks get the results of this rank's share.
  bool are_given() const noexcept {
    return kind_ == Receivers::to_all || (kind_ == Receivers::to_root && to_ == nullptr);
  }
  /// Returns whether this rank gets the results of other ranks' shares.
  bool are_taken() const noexcept {
    return kind_ == Receivers::to_all || (kind_ == Receivers::to_root && to_ != nullptr);
  }
  /// Returns whether every rank with a share has a place for its results. All ranks get the same answer.
  bool have_places() const noexcept { return kind_ != Receivers::to_root; }
  bool are_on_contributions() const noexcept { return on_contributions_; }

  /// Returns where in to() the results of this rank's share begin. In all data the share begins at `share`.
  std::size_t own_place(std::size_t share) const noexcept {
    return kind_ == Receivers::to_owners ? 0 : share;
  }

private:
  enum class Receivers { to_all, to_root, to_owners };

  Results(Receivers kind, const pipeline::Stream* to, bool on_contributions)
      : kind_(kind), to_(to), on_contributions_(on_contributions) {}

  Receivers kind_;
  const pipeline::Stream* to_;
  bool on_contributions_;
};

/// The pieces of a round of an operation, one for every rank. When packed, they follow one another.
class Pieces {
public:
  /// Each round takes the next piece of every share, up to `most` elements of `element` bytes. If there is an
  /// `order`, piece n is of the rank with number n. `shares` and `order` must outlive the object.
  Pieces(const Shares& shares, std::size_t element, std::size_t most, const RankOrder* order = nullptr)
      : shares_(shares), element_(element), most_(most),
        order_(order != nullptr && order->is_by_rank() ? nullptr : order), begin_(shares.ranks() + 1) {}

  /// Each round takes the next elements of the stream, up to `most`, so packed data keep the order of the
  /// stream. Pieces are as even as possible. Of `shares` only the numbers of ranks and of elements matter.
  static Pieces consecutive(const Shares& shares, std::size_t element, std::size_t most) {
    Pieces pieces(shares, element, most);
    pieces.are_consecutive_ = true;
    return pieces;
  }

  void start(std::size_t round) {
    round_ = round;
    for (std::size_t rank = 0; rank < shares_.ranks(); ++rank)
      begin_[rank + 1] = are_consecutive_ ? before_even(rank + 1) : begin_[rank] + next(share(rank));
  }

  std::size_t ranks() const { return shares_.ranks(); }
  /// Returns how many rounds take all elements.
  std::size_t rounds() const {
    return ((are_consecutive_ ? shares_.total() : shares_.largest()) + most_ - 1) / most_;
  }
  /// Returns whether the packed pieces of a round have the order of the stream.
  bool lie_together() const { return are_consecutive_ || (order_ == nullptr && shares_.largest() <= most_); }

  // All of the following are in bytes.

  /// Returns the size of a rank's piece.
  std::size_t bytes(std::size_t rank) const { return begin_[rank + 1] - begin_[rank]; }
  /// Returns the size of all pieces.
  std::size_t bytes() const { return begin_.back(); }
  /// Returns where a rank's piece begins among the packed ones.
  std::size_t begin(std::size_t rank) const { return begin_[rank]; }
  /// Returns the start of every rank's piece among the packed ones, followed by the end of the last.
  std::span<const std::size_t> begins() const { return begin_; }
  /// Returns where each piece begins in its share.
  std::size_t before() const { return round_ * most_ * element_; }
  /// Returns where a rank's piece begins in the stream of all elements.
  std::size_t offset(std::size_t rank) const {
    return before() + (are_consecutive_ ? begin_[rank] : shares_.begin(share(rank)) * element_);
  }

  /// Calls `visit(rank, at, bytes, packed)` for each part of a piece in the packed bytes [begin, end): the
  /// rank of the piece, the part's offset in the stream, its size, and its offset in the packed pieces.
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
  /// Returns the rank whose share contains the piece.
  std::size_t share(std::size_t piece) const {
    return order_ == nullptr ? piece : static_cast<std::size_t>(order_->rank(piece));
  }
  /// Returns the size of the next piece of a rank's share.
  std::size_t next(std::size_t rank) const {
    const std::size_t done = std::min(round_ * most_, shares_.size(rank));
    return std::min(most_, shares_.size(rank) - done) * element_;
  }
  /// Returns the total size of the first `pieces` even pieces.
  std::size_t before_even(std::size_t pieces) const {
    const std::size_t elements = std::min(most_, shares_.total() - round_ * most_);
    return elements / ranks() * pieces * element_ + std::min(elements % ranks(), pieces) * element_;
  }

  const Shares& shares_;
  std::size_t element_;
  std::size_t most_;
  const RankOrder* order_;
  bool are_consecutive_ = false;
  std::size_t round_ = 0;
  std::vector<std::size_t> begin_; // start of every rank's piece, followed by the end of the last
};

} // namespace helper::collective
