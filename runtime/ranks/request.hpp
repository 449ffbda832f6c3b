// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::ranks {

/// Returns whether the operation of `request` has finished, so that its buffer may be freed. `test(&done)`
/// asks MPI. Stores the first error in `failed`. After that error, the operation counts as finished if MPI
/// has ended the request. Otherwise it counts as finished when a further test fails.
template <class Test>
bool over_by(const Test& test, const MPI_Request& request, int& failed) {
  int done = 0;
  const int code = test(&done);
  if (code == MPI_SUCCESS) return done != 0;
  const bool first = failed == MPI_SUCCESS;
  if (first) failed = code;
  return !first || request == MPI_REQUEST_NULL;
}

/// Returns over_by() with MPI_Test as the test.
inline bool over(MPI_Request& request, int& failed) {
  return over_by([&](int* done) { return PMPI_Test(&request, done, MPI_STATUS_IGNORE); }, request, failed);
}

} // namespace helper::ranks
