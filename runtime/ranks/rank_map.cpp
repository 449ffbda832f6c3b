// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/rank_map.hpp"

#include <algorithm>

namespace helper::ranks {

RankMap::RankMap(std::vector<int> ranks) : size_(static_cast<int>(ranks.size())) {
  if (ranks.empty()) return;
  first_ = ranks[0];
  if (ranks.size() > 1) stride_ = ranks[1] - ranks[0];
  const auto is_uneven = [this](int rank, int next) { return next - rank != stride_; };
  if (std::ranges::adjacent_find(ranks, is_uneven) == ranks.end()) return;
  const std::shared_ptr<int[]> array(new int[ranks.size()]);
  std::ranges::copy(ranks, array.get());
  array_ = array;
}

RankMap RankMap::identity(int size) noexcept {
  RankMap made;
  made.size_ = size;
  return made;
}

std::vector<int> RankMap::all() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < size_; ++rank) ranks.push_back((*this)[rank]);
  return ranks;
}

} // namespace helper::ranks
