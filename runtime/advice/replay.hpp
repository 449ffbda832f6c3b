// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <vector>

#include "advice/recorder.hpp"

/// Replays calls of the program when it has ended, natively and with teams, to measure what teams would save.
namespace helper::advice {

/// The least, the median and the greatest of some values.
struct Range {
  double least = 0;
  double median = 0;
  double greatest = 0;
};

Range range_of(std::vector<double> values);

/// Replays each call of `wanted`, which is equal at all ranks, natively and with teams of these sizes.
/// Returns the times of each call in seconds: first natively, then by team. Each value is of a batch, at the
/// slowest rank. Takes the datatypes from this process's cells `own`. Collective over `comm`. The library
/// must have begun.
std::vector<std::vector<Range>> replay(const std::vector<Cell>& wanted, const std::vector<Cell>& own,
                                       const std::vector<int>& team_sizes, MPI_Comm comm);

} // namespace helper::advice
