// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <vector>

#include "advice/recorder.hpp"

/// Calls of the program are repeated when it has ended, natively and by teams, so that what a team would save
/// is measured.
namespace helper::advice {

/// The least, the median and the greatest of some values.
struct Range {
  double least = 0;
  double median = 0;
  double greatest = 0;
};

Range range_of(std::vector<double> values);

/// What one call takes natively, and by teams of each size: seconds of some batches, each the longest of all
/// ranks.
struct Replay {
  Range native;
  std::vector<Range> by_teams;
};

/// Repeats calls like each of `wanted`, which all ranks give alike, natively and by teams of these sizes. The
/// datatypes are those that this process has in `own`. It is collective over `comm`; the library has begun.
std::vector<Replay> replay(const std::vector<Cell>& wanted, const std::vector<Cell>& own,
                           const std::vector<int>& team_sizes, MPI_Comm comm);

} // namespace helper::advice
