// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <vector>

#include "advice/recorder.hpp"

/// Calls of the program are repeated when it has ended, natively and by teams, so that what a team would save
/// is measured.
namespace helper::advice {

/// How long one call takes: the least, the median and the greatest of some batches, in seconds, each the
/// longest of all ranks.
struct CallTime {
  double least = 0;
  double median = 0;
  double greatest = 0;
};

/// What one call takes natively, and by teams of each size.
struct Replay {
  CallTime native;
  std::vector<CallTime> by_teams;
};

/// Repeats calls like each of `wanted`, which all ranks give alike, natively and by teams of these sizes. The
/// datatypes are those that this process has in `own`. It is collective over `comm`; the library has begun.
std::vector<Replay> replay(const std::vector<Cell>& wanted, const std::vector<Cell>& own,
                           const std::vector<int>& team_sizes, MPI_Comm comm);

} // namespace helper::advice
