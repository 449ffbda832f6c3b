// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace bench {

/// A process of a tree, and the vertices below it.
struct Vertex {
  int process;
  int parent; ///< -1 at the root
  bool participates;
  std::string label;
};

/// A tree of up to eight leaves, to be drawn. Children are in the order of the vertices. `figure` names the
/// figure that it belongs to.
struct TreePicture {
  std::string figure, title;
  std::vector<Vertex> vertices;
};

/// Runs the library's state machines on a tree of 15 processes, of which 9 enrol. The pictures correspond to
/// the paper's Figs. 1 to 4, which show another tree:
/// - figures 1 and 2: the tree while the reports go up, with a child and with a leaf as filler,
/// - figure 3: the ranks with a child as filler,
/// - figure 4: sizes and ranks without filler,
/// - "places": the trees of the new group by each scheme.
/// Throws std::logic_error if the messages and the ranks disagree about the tree.
std::vector<TreePicture> shrinking_pictures();

} // namespace bench
