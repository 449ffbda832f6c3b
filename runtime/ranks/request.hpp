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

/// The code of MPI functions that are called where nothing may be thrown. If the program's error handler has
/// thrown, the error is taken for one that nobody has heard of.
struct Caught {
  int code = MPI_SUCCESS;
  bool has_thrown = false;
};

/// Returns the code of `call()`, which calls MPI, or MPI_ERR_OTHER if the program's error handler throws.
template <class Call>
Caught caught(const Call& call) noexcept {
  try {
    return {call()};
  } catch (...) {
    return {MPI_ERR_OTHER, true};
  }
}

/// Does what over_by() does by MPI_Test, where nothing may be thrown.
inline bool over(MPI_Request& request, Caught& failed) noexcept {
  const auto test = [&](int* done) {
    const Caught tested = caught([&] { return PMPI_Test(&request, done, MPI_STATUS_IGNORE); });
    failed.has_thrown = failed.has_thrown || tested.has_thrown;
    return tested.code;
  };
  return over_by(test, request, failed.code);
}

/// Does the same where an exception of the program's error handler may pass.
inline bool over(MPI_Request& request, int& failed) {
  return over_by([&](int* done) { return PMPI_Test(&request, done, MPI_STATUS_IGNORE); }, request, failed);
}

} // namespace helper::ranks
