// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "task.hpp"

namespace bench {

struct Way {
  std::string name;               ///< native, team, or a name of Summation
  int threads;                    ///< of the team; 1 without a team
  std::string placement = "none"; ///< of the team's members
};

struct Times {
  Way way;
  Quantiles seconds; ///< per call, of the slowest rank
};

struct Point {
  std::string function, data;
  std::size_t asked_for, bytes; ///< of data
  std::vector<Times> times;
};

struct Setting {
  std::vector<int> teams;
  std::vector<std::string> placements{"none"};
  int slower = 1;           ///< slowdown of emulated cores: see SlowCore
  bool chunks_only = false; ///< of that: see SlowCore
  bool alone = false; ///< only rank 0 works; the others wait for it in MPI_Recv, in a phase of a team of one
};

/// Both functions measure every way alternately, for about `seconds` together. Collective over
/// MPI_COMM_WORLD. They throw std::runtime_error if a result is wrong.
Point measure(const PlannedTask& planned, const Setting& setting, double seconds);
Point measure_summation(std::size_t bytes, const Setting& setting, double seconds);

} // namespace bench
