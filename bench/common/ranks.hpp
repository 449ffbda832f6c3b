// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace bench {

inline int own_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int rank_count() {
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

inline double of_all_ranks(double value, MPI_Op op = MPI_MAX) {
  PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return value;
}

/// Returns the microseconds until the last rank has finished `act`, which all begin together.
template <class Act>
double time_of(const Act& act) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = PMPI_Wtime();
  act();
  return of_all_ranks((PMPI_Wtime() - begin) * 1e6);
}

} // namespace bench
