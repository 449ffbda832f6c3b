// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "paper.hpp"

#include <string>
#include <vector>

namespace bench {

/// Writes a picture to `file`, an SVG: the tree of `processes` of which each has a chance of `fraction` to
/// participate, and below each other the trees of the new group by each scheme. Vertices are processes, with
/// their ranks; holes are dashed. Throws what create_file does.
void draw_trees(const std::vector<const NamedScheme*>& schemes, helper::groups::tree::Rank processes,
                double fraction, const std::string& file);

} // namespace bench
