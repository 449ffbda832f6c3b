// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/locations.hpp"

#include <algorithm>
#include <cstddef>

namespace helper::ranks {

Locations::Locations(const std::vector<Location>& by_rank) : size_(static_cast<int>(by_rank.size())) {
  std::vector<int> node_of_rank;
  for (const Location& of : by_rank) node_of_rank.push_back(of.first);
  nodes_ = Nodes::named(node_of_rank, 0);
  if (nodes_.are_regular()) {
    for (const int rank : nodes_.ranks(0))
      positions_.push_back(by_rank[static_cast<std::size_t>(rank)].position);
    int rank = 0;
    if (std::ranges::all_of(by_rank, [&](const Location& of) { return of == (*this)[rank++]; })) return;
  }
  nodes_ = {};
  positions_ = {};
  by_rank_ = by_rank;
}

Location Locations::operator[](int rank) const noexcept {
  if (!by_rank_.empty()) return by_rank_[static_cast<std::size_t>(rank)];
  const Nodes::NodePlace place = nodes_.place(rank);
  return {nodes_.rank(place.node, 0), positions_[place.index]};
}

} // namespace helper::ranks
