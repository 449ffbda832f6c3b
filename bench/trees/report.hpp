// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/output.hpp"
#include "shrinking.hpp"
#include "study.hpp"

#include <string>
#include <vector>

namespace bench {

/// All cells. The cells of a fraction and number of processes are adjacent.
using Cells = std::vector<Cell>;

Json json_of(const Cell& cell);

/// Prints the aims for the distance between model and paper. Returns whether the cells meet all of them.
bool print_aims(const Cells& cells);

void write(const Lines& cells, const std::vector<ListCost>& list_costs, const std::vector<Stretch>& trace,
           const std::vector<TreePicture>& pictures, const model::Costs& costs, const std::string& file);

} // namespace bench
