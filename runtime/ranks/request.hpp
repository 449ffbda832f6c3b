// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::ranks {

/// Tests, by `test(&done)`, an operation of the library's own whose buffer must not go before it has
/// finished; returns true once it is. The first error is noted in `failed`: MPI has then either ended the
/// operation, `request`, or only failed to test it, and it goes on. What cannot be tested twice is taken to
/// be over.
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
