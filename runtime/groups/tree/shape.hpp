// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

/// In the implicit k-ary tree vertices are numbered level by level, so that places follow from numbers. The
/// functions are equations 1 to 4 and 7 of Langer, Venkataraman and Kale, "Distributed Algorithms for
/// Constructing Balanced Spanning Trees on System-ranked Process Groups". `branching` is at least 1
/// throughout.
namespace helper::groups::tree {

using Rank = std::int32_t; ///< numbers a process in a group, or counts such processes

/// Returns how many vertices a full tree of so many levels has, at most the greatest Rank.
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

} // namespace helper::groups::tree
