// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "picture.hpp"
#include "study.hpp"

#include <string>
#include <vector>

namespace bench {

/// All cells, those of a fraction and number of processes together.
using Cells = std::vector<Cell>;

void print_costs(const model::Costs& costs);
void print_table_head(const std::vector<const NamedScheme*>& schemes);
/// A line: the cells of one fraction and number of processes.
void print_line(const Cells& line);
/// How far the cells are from the paper's, and which schemes overtake which.
void print_summary(const Cells& cells, const std::vector<const NamedScheme*>& schemes);
/// How close they are to be, and whether they are, which is the result.
bool print_aims(const Cells& cells);

/// The memory of the same cells, in place of times and messages.
void print_memory_head(const std::vector<const NamedScheme*>& schemes);
void print_memory_line(const Cells& line);

/// For each cost of lists which filler is the slowest, and how far balance's times are from the paper's.
void print_list_costs(const std::vector<ListCost>& costs);

void write_json(const Cells& cells, const std::vector<ListCost>& list_costs,
                const std::vector<Stretch>& trace, const std::vector<TreePicture>& pictures,
                const model::Costs& costs, const std::string& file);

} // namespace bench
