// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "place.hpp"

namespace helper::tree {

Id Place::toward(Rank target, Numbering as) const {
  if (as == Numbering::direct) return target;
  if (as == Numbering::by_level) {
    // Up from the target, until it is seen to be below this vertex, or not.
    while (target > rank) {
      const Rank above = tree::parent(target, branching);
      if (above == rank) return children[static_cast<std::size_t>(target - child(rank, 0, branching))].id;
      target = above;
    }
    return parent;
  }
  if (target < rank || target > rank + descendants) return parent;
  auto branch = children.begin();
  while (branch + 1 != children.end() && (branch + 1)->rank <= target) ++branch;
  return branch->id;
}

Place in_communicator(Id id, Rank size, int branching) {
  Place place{id,        id,
              size,      depth(id, branching),
              0,         id == 0 ? nobody : parent(id, branching),
              branching, Place::Numbering::direct,
              {}};
  const int count = children(id, size, branching);
  place.children.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const Rank rank = child(id, i, branching);
    place.children.push_back({rank, rank});
  }
  return place;
}

} // namespace helper::tree
