// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace bench {

/// A process of a tree, and what stands below it.
struct Vertex {
  int process;
  int parent; ///< -1 at the root
  bool participates;
  std::string label;
};

/// A tree of up to eight leaves; children are in the order of the vertices. The figure is what it belongs to.
struct TreePicture {
  std::string figure, title;
  std::vector<Vertex> vertices;
};

/// What the library's state machines make of a tree of 15 processes, of which 9 enrol, as the paper's Figs. 1
/// to 4 show it of another one: the tree while the reports go up, with a child and with a leaf as filler
/// (figures 1 and 2); the ranks with a child (3), and sizes and ranks without filler (4); and the trees of
/// the new group by each scheme ("places"). Throws std::logic_error if what the messages say of the tree is
/// not what the ranks say.
std::vector<TreePicture> shrinking_pictures();

} // namespace bench
