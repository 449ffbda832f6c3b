// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::ranks {

/// Tests, with `test(&done)`, an operation whose buffer must live until it has finished, and returns whether
/// it has. The first error is stored in `failed`. After an error MPI has either ended `request`, or only
/// failed to test it. An operation that cannot be tested again counts as finished.
template <class Test>
bool over_by(const Test& test, const MPI_Request& request, int& failed) {
  int done = 0;
  const int code = test(&done);
  if (code == MPI_SUCCESS) return done != 0;
  const bool first = failed == MPI_SUCCESS;
  if (first) failed = code;
  return !first || request == MPI_REQUEST_NULL;
}

/// Does what over_by() does, with MPI_Test.
inline bool over(MPI_Request& request, int& failed) {
  return over_by([&](int* done) { return PMPI_Test(&request, done, MPI_STATUS_IGNORE); }, request, failed);
}

} // namespace helper::ranks
