// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "task.hpp"

namespace bench {

struct Setting {
  std::vector<int> teams;
  std::vector<std::string> placements{"none"};
  int slower = 1;           ///< slowdown of emulated cores: see SlowCore
  bool chunks_only = false; ///< of that: see SlowCore
  bool alone = false; ///< only rank 0 works; the others wait for it in MPI_Recv, in a phase of a team of one
};

/// Both functions measure every way alternately, for about `seconds` together, and add a line for each. They
/// are collective over MPI_COMM_WORLD. They throw std::runtime_error if a result is wrong.
void measure(const Task& task, const Setting& setting, double seconds, Lines& lines);
void measure_summation(std::size_t bytes, const Setting& setting, double seconds, Lines& lines);

} // namespace bench
