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

} // namespace bench
