// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

/// The implicit k-ary tree: vertices are numbered level by level, so that places follow from numbers.
/// Equations 1 to 4 and 7 of Langer, Venkataraman and Kale, "Distributed Algorithms for Constructing Balanced
/// Spanning Trees on System-ranked Process Groups". `branching` is at least 1 throughout.
namespace helper::groups::tree {

using Rank = std::int32_t; ///< a process in a group, or how many of them

/// The vertices of a full tree of so many levels, at most the greatest Rank.
Rank capacity(int height, int branching);

/// The levels of the shallowest tree of `size` vertices; 0 of none.
int height(Rank size, int branching);

/// The edges between a vertex and the root.
int depth(Rank rank, int branching);

/// Of a vertex that is not the root, 0.
Rank parent(Rank rank, int branching);

/// How many children a vertex has in a tree of `size`.
int children(Rank rank, Rank size, int branching);

/// Child `index`, if there is one.
Rank child(Rank rank, int index, int branching);

} // namespace helper::groups::tree
