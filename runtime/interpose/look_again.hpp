// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include "shm/traffic.hpp"

namespace helper::interpose {

/// Returns the code of `call()`, a probe or test that does not wait and stores in `*found` whether it has
/// found anything. After an operation that bypassed MPI, MPI may not have seen earlier sends of others. If
/// the call finds nothing then, MPI catches up, and the call is repeated.
template <class Call>
[[gnu::always_inline]] inline int look_again(const int* found, const Call& call) {
  const int code = call();
  if (!shm::traffic::is_behind()) [[likely]]
    return code;
  if (code != MPI_SUCCESS || found == nullptr || *found != 0) return code;
  shm::traffic::catch_up();
  return call();
}

} // namespace helper::interpose
