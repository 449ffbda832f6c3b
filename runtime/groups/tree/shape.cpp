// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/shape.hpp"

#include <algorithm>
#include <limits>

namespace helper::groups::tree {

constexpr std::int64_t most = std::numeric_limits<Rank>::max();

Rank capacity(int height, int branching) {
  if (branching == 1) return height;
  std::int64_t vertices = 0;
  for (; height > 0 && vertices < most; --height) vertices = 1 + branching * vertices;
  return static_cast<Rank>(std::min(vertices, most));
}

int height(Rank size, int branching) {
  if (branching == 1) return size;
  int levels = 0;
  while (capacity(levels, branching) < size) ++levels;
  return levels;
}

int depth(Rank rank, int branching) {
  return height(rank + 1, branching) - 1;
}

Rank parent(Rank rank, int branching) {
  return (rank - 1) / branching;
}

int children(Rank rank, Rank size, int branching) {
  const std::int64_t before = std::int64_t{branching} * rank + 1;
  return static_cast<int>(std::clamp<std::int64_t>(size - before, 0, branching));
}

Rank child(Rank rank, int index, int branching) {
  return branching * rank + index + 1;
}

} // namespace helper::groups::tree
