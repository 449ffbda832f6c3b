// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/place.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

namespace helper::groups::tree {

namespace {

/// Divides processes evenly among up to `most` branches.
std::vector<std::span<const Id>> even_parts(std::span<const Id> processes, int most) {
  const std::size_t count = std::min(static_cast<std::size_t>(most), processes.size());
  std::vector<std::span<const Id>> parts;
  for (std::size_t part = 0; part < count; ++part) {
    const std::size_t begin = processes.size() * part / count;
    parts.push_back(processes.subspan(begin, processes.size() * (part + 1) / count - begin));
  }
  return parts;
}

/// Returns the ranks of the subtree of a vertex in the implicit tree: an interval in each level.
std::vector<Interval> implicit_subtree(Rank root, Rank size, int branching) {
  std::vector<Interval> levels;
  std::int64_t first = root;
  std::int64_t last = root;
  for (; first < size; first = first * branching + 1, last = (last + 1) * branching) {
    const Interval level{static_cast<Rank>(first), static_cast<Rank>(std::min<std::int64_t>(last + 1, size))};
    if (!levels.empty() && levels.back().end == level.first)
      levels.back().end = level.end;
    else
      levels.push_back(level);
  }
  return levels;
}

} // namespace

Rank capacity(int height, int branching) {
  constexpr std::int64_t most = std::numeric_limits<Rank>::max();
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

Id Place::toward(Rank target, ChildNumbering as) const {
  if (as == ChildNumbering::direct) return target;
  if (as == ChildNumbering::by_level) {
    // Goes up from the target until it is known whether the target is below this vertex.
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

std::vector<Interval> Place::subtree() const {
  if (numbering == ChildNumbering::by_branch) return {{rank, rank + descendants + 1}};
  return implicit_subtree(rank, size, branching);
}

std::vector<Interval> Place::subtree(std::size_t index) const {
  const Rank first = children[index].rank;
  if (numbering != ChildNumbering::by_branch) return implicit_subtree(first, size, branching);
  return {{first, index + 1 < children.size() ? children[index + 1].rank : rank + descendants + 1}};
}

std::vector<Interval> complement(const std::vector<Interval>& intervals, Rank size) {
  std::vector<Interval> others;
  Rank next = 0;
  for (const auto& [first, end] : intervals) {
    if (next < first) others.push_back({next, first});
    next = end;
  }
  if (next < size) others.push_back({next, size});
  return others;
}

Place in_communicator(Id id, Rank size, int branching) {
  Place place{id,        id,
              size,      depth(id, branching),
              0,         id == 0 ? nobody : parent(id, branching),
              branching, Place::ChildNumbering::direct,
              {}};
  const int count = children(id, size, branching);
  place.children.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const Rank rank = child(id, i, branching);
    place.children.push_back({rank, rank});
  }
  return place;
}

Place by_nodes(Id id, std::span<const std::vector<Id>> nodes, int branching) {
  // The processes in the order in which they enter the tree: each after its parent.
  std::vector<Id> order;
  std::vector<std::size_t> parents;
  std::vector<int> free; // the number of children that each may still get
  std::size_t open = 0;  // the first process that may still get a child
  const auto enter = [&](Id process, std::size_t parent) {
    if (!order.empty()) --free[parent];
    order.push_back(process);
    parents.push_back(parent);
    free.push_back(branching);
  };
  for (const auto& node : nodes) {
    while (!order.empty() && free[open] == 0) ++open;
    // Parts of the node's list still to enter: each a subtree, its root first, and the index of its parent.
    std::deque<std::pair<std::span<const Id>, std::size_t>> branches{{node, open}};
    for (; !branches.empty(); branches.pop_front()) {
      const auto [processes, parent] = branches.front();
      enter(processes.front(), parent);
      for (const auto part : even_parts(processes.subspan(1), branching))
        branches.emplace_back(part, order.size() - 1);
    }
  }
  std::vector<Rank> sizes(order.size(), 1), ranks(order.size()), next(order.size(), 1);
  for (std::size_t at = order.size() - 1; at > 0; --at) sizes[parents[at]] += sizes[at];
  Place place{id,     0,         static_cast<Rank>(order.size()),  0, 0,
              nobody, branching, Place::ChildNumbering::by_branch, {}};
  std::vector<std::int32_t> depths(order.size());
  for (std::size_t at = 1; at < order.size(); ++at) {
    const std::size_t parent = parents[at];
    ranks[at] = ranks[parent] + std::exchange(next[parent], next[parent] + sizes[at]);
    depths[at] = depths[parent] + 1;
    if (order[parent] == id) place.children.push_back({order[at], ranks[at]});
    if (order[at] == id) place.parent = order[parent];
  }
  const auto own = static_cast<std::size_t>(std::ranges::find(order, id) - order.begin());
  place.rank = ranks[own];
  place.depth = depths[own];
  place.descendants = sizes[own] - 1;
  return place;
}

} // namespace helper::groups::tree
