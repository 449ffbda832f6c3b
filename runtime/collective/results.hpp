// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "pipeline/stream.hpp"

namespace helper::collective {

/// Tells what becomes of the results of a reduction in which each rank of a node reduces its share, as one of
/// the ranks sees it.
class Results {
public:
  /// Gives every rank all results.
  static Results to_all(const pipeline::Stream& to) { return {Kind::to_all, &to, false}; }
  /// Gives all results to `root`, the one rank that has a `to`.
  static Results to_root(const pipeline::Stream* to, std::size_t root) {
    return {Kind::to_root, to, false, root};
  }
  /// Gives each rank the results of its share, at the beginning of its `to`, which is nullptr at ranks that
  /// have no share. In place the results come to lie on contributions to other shares.
  static Results to_owners(const pipeline::Stream* to, bool in_place) {
    return {Kind::to_owners, to, in_place};
  }

  const pipeline::Stream* to() const noexcept { return to_; }
  /// Tells whether others get the results of the own share.
  bool are_given() const noexcept {
    return kind_ == Kind::to_all || (kind_ == Kind::to_root && to_ == nullptr);
  }
  /// Tells whether this rank gets the results of the others' shares.
  bool are_taken() const noexcept {
    return kind_ == Kind::to_all || (kind_ == Kind::to_root && to_ != nullptr);
  }
  /// Tells whether this rank gives the results of its share to the rank `rank`.
  bool are_given_to(std::size_t rank) const noexcept {
    return are_given() && (kind_ == Kind::to_all || rank == root_);
  }
  /// Tells whether all ranks that have a share have a place for its results; the answer is the same at all
  /// ranks.
  bool have_places() const noexcept { return kind_ != Kind::to_root; }
  bool are_on_contributions() const noexcept { return on_contributions_; }

  /// Returns where in to() the results of the own share begin; the share begins at byte `share` of all.
  std::size_t own_place(std::size_t share) const noexcept { return kind_ == Kind::to_owners ? 0 : share; }

private:
  enum class Kind { to_all, to_root, to_owners };

  Results(Kind kind, const pipeline::Stream* to, bool on_contributions, std::size_t root = 0)
      : kind_(kind), to_(to), on_contributions_(on_contributions), root_(root) {}

  Kind kind_;
  const pipeline::Stream* to_;
  bool on_contributions_;
  std::size_t root_;
};

} // namespace helper::collective
