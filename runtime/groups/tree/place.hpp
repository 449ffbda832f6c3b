// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace helper::groups::tree {

using Rank = std::int32_t; ///< numbers a process in a group, or counts such processes
using Id = std::int32_t;   ///< names a process, as the transport addresses it
constexpr Id nobody = -1;

// In the implicit k-ary tree vertices are numbered level by level, so that places follow from numbers. The
// functions are equations 1 to 4 and 7 of Langer, Venkataraman and Kale, "Distributed Algorithms for
// Constructing Balanced Spanning Trees on System-ranked Process Groups". `branching` is at least 1
// throughout.

/// Returns the number of vertices of a full tree of `height` levels, at most the greatest Rank.
Rank capacity(int height, int branching);

/// Returns how many levels the shallowest tree of `size` vertices has, 0 for none.
int height(Rank size, int branching);

/// Returns how many edges there are between a vertex and the root.
int depth(Rank rank, int branching);

/// Returns the parent of a vertex, which is not the root, 0.
Rank parent(Rank rank, int branching);

/// Returns how many children a vertex has in a tree of `size`.
int children(Rank rank, Rank size, int branching);

/// Returns child `index`, which must exist in the tree.
Rank child(Rank rank, int index, int branching);

/// An interval has the ranks from `first` on, before `end`.
struct Interval {
  Rank first, end;
};

/// A place is what a member knows of its group, in O(k) bytes.
struct Place {
  /// The numbering of the ranks tells where other members are to be found.
  enum class ChildNumbering : std::int32_t {
    direct,   ///< rank r is process r
    by_level, ///< ranks are as in the implicit tree of the children's branching factor
    by_branch ///< a vertex comes first, then its children's subtrees, one after the other
  };
  struct Child {
    Id id;
    Rank rank;
  };

  Id id;
  Rank rank, size;
  std::int32_t depth; ///< how many edges there are between it and the root
  Rank descendants;   ///< with by_branch, how many vertices are below it
  Id parent;          ///< `nobody` at the root, which has rank 0
  std::int32_t branching;
  ChildNumbering numbering;
  std::vector<Child> children; ///< in the order of their ranks

  /// Returns the next process on the way to the member with that rank, which is not this one's: that member
  /// itself if the numbering is direct, otherwise a neighbour.
  Id toward(Rank target) const { return toward(target, numbering); }
  /// Does the same for ranks that are numbered in that way.
  Id toward(Rank target, ChildNumbering as) const;

  /// Returns the ranks of this vertex and all below it, in ascending order and as few intervals as can be:
  /// one if they are numbered by branch, otherwise up to one for each level.
  std::vector<Interval> subtree() const;
  /// Returns the same of child `index` and all below it.
  std::vector<Interval> subtree(std::size_t index) const;
};

/// Returns the other ranks of a group of that size, likewise.
std::vector<Interval> complement(const std::vector<Interval>& intervals, Rank size);

/// Returns the place of process `id` in a communicator of that size, whose tree is the implicit one.
Place in_communicator(Id id, Rank size, int branching);

/// Returns the place of process `id` in a communicator whose tree has the processes of each node together:
/// they are the k-ary tree below the first of them, and all other edges lead to such a one. `nodes` has the
/// processes of each node, process 0 first on the first; those below any one on its node are next to one
/// another there. Takes time and, meanwhile, memory of the order of the communicator.
Place by_nodes(Id id, std::span<const std::vector<Id>> nodes, int branching);

} // namespace helper::groups::tree
