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

// The implicit k-ary tree: vertices are numbered level by level, so their places follow from their numbers.
// The functions are equations 1 to 4 and 7 of Langer, Venkataraman and Kale, "Distributed Algorithms for
// Constructing Balanced Spanning Trees on System-ranked Process Groups". `branching` is at least 1.

/// Returns the number of vertices of a full tree of `height` levels, at most the greatest Rank.
Rank capacity(int height, int branching);

/// Returns the number of levels of the shallowest tree of `size` vertices; 0 for none.
int height(Rank size, int branching);

/// Returns the number of edges between a vertex and the root.
int depth(Rank rank, int branching);

/// Returns the parent of a vertex other than 0, the root.
Rank parent(Rank rank, int branching);

/// Returns the number of children of a vertex in a tree of `size`.
int children(Rank rank, Rank size, int branching);

/// Returns child `index`, which must exist in the tree.
Rank child(Rank rank, int index, int branching);

/// The ranks in [first, end).
struct Interval {
  Rank first, end;
};

/// What a member knows of its group, in O(k) bytes.
struct Place {
  /// How ranks are numbered, and hence where other members are.
  enum class ChildNumbering : std::int32_t {
    direct,   ///< rank r is process r
    by_level, ///< ranks are numbered as in the implicit tree with this `branching`
    by_branch ///< a vertex comes first, then the subtrees of its children, one after the other
  };
  struct Child {
    Id id;
    Rank rank;
  };

  Id id;
  Rank rank, size;
  std::int32_t depth; ///< the number of edges between it and the root
  Rank descendants;   ///< with by_branch, the number of vertices below it
  Id parent;          ///< `nobody` at the root, which has rank 0
  std::int32_t branching;
  ChildNumbering numbering;
  std::vector<Child> children; ///< in the order of their ranks

  /// Returns the next process on the way to rank `target`: with `direct` the target itself, else a neighbour.
  Id toward(Rank target) const { return toward(target, numbering); }
  /// Like toward(target), for ranks that are numbered by `as` instead of `numbering`.
  Id toward(Rank target, ChildNumbering as) const;

  /// Returns the ranks of this vertex and all below it, as intervals in ascending order. With by_branch there
  /// is one interval, otherwise up to one for each level.
  std::vector<Interval> subtree() const;
  /// Returns the ranks of child `index` and all below it, in the same form.
  std::vector<Interval> subtree(std::size_t index) const;
};

/// Returns the ranks of a group of `size` that are in none of `intervals`, as intervals in ascending order.
std::vector<Interval> complement(const std::vector<Interval>& intervals, Rank size);

/// Returns the place of process `id` in a communicator of that size, whose tree is the implicit one.
Place in_communicator(Id id, Rank size, int branching);

/// Returns the place of process `id` in a communicator whose tree keeps the processes of each node together.
/// The processes of a node form a k-ary tree below the node's first process. Nodes enter the tree in order:
/// the first process of each becomes a child of the earliest process that has fewer than k children. `nodes`
/// lists the processes of each node; process 0 is the first of the first node. A subtree within a node is a
/// contiguous part of the node's list. Time and temporary memory are linear in the number of processes.
Place by_nodes(Id id, std::span<const std::vector<Id>> nodes, int branching);

} // namespace helper::groups::tree
