// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/selection.hpp"

namespace helper::collective {

/// Gives each rank of a shadow its number in schedules. Usually the number is the rank. Halving and doubling
/// move most data between distant numbers, which should be on one node. So their numbers are dealt: first
/// to the first rank of each node, then to the second ranks, and so on. If nodes have different numbers of
/// ranks, only two_level deals: each rank then numbers as if all nodes had as many ranks as its own.
class RankOrder {
public:
  /// Makes the order for the algorithm of an operation; the shadow must outlive it.
  RankOrder(Operation operation, Algorithm algorithm, const Shadow& shadow)
      : shadow_(shadow), deals_(method(operation, algorithm).deals(shadow.nodes().are_even())) {}

  /// Returns how many numbers there are.
  std::size_t ranks() const noexcept {
    return deals_ ? distance() * shadow_.nodes().size(shadow_.nodes().own_node())
                  : static_cast<std::size_t>(shadow_.size());
  }
  /// Returns the number of blocks: each number below it has a block, and is a rank in the view of every rank.
  std::size_t blocks() const noexcept { return deals_ ? distance() * shadow_.nodes().fewest() : ranks(); }
  /// Numbers of ranks on the same node differ by a multiple of the result. It is 1 if numbers are not dealt.
  std::size_t distance() const noexcept { return deals_ ? shadow_.nodes().count() : 1; }
  /// Returns whether every rank's number is the rank.
  bool is_by_rank() const noexcept { return distance() == 1 || shadow_.nodes().is_cyclic(); }

  int rank(std::size_t number) const noexcept {
    return is_by_rank() ? static_cast<int>(number)
                        : shadow_.nodes().rank(number % distance(), number / distance());
  }
  std::size_t number(int rank) const noexcept {
    if (is_by_rank()) return static_cast<std::size_t>(rank);
    const auto [node, index] = shadow_.nodes().place(rank);
    return index * distance() + node;
  }
  /// Calls `visit(rank, count, behind)` for runs of `count` consecutive ranks: for all ranks, in circular
  /// order from this rank on. The number of `rank`, the first of a run, is this rank's number plus `behind`.
  template <class Visit>
  void for_each_behind(const Visit& visit) const {
    const std::size_t own = number(shadow_.rank());
    if (is_by_rank()) {
      visit(own, ranks() - own, std::size_t{0});
      if (own != 0) visit(std::size_t{0}, own, ranks() - own);
      return;
    }
    for (std::size_t behind = 0; behind < ranks(); ++behind)
      visit(static_cast<std::size_t>(rank((own + behind) % ranks())), std::size_t{1}, behind);
  }

private:
  const Shadow& shadow_;
  const bool deals_;
};

} // namespace helper::collective
