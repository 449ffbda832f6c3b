// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "message/roles.hpp"
#include "support/helpers.hpp"

namespace test_support {

/// A fixture for tests in which pairs of adjacent ranks of MPI_COMM_WORLD exchange messages.
struct Partners {
  Helpers helpers;
  const Comm world{MPI_COMM_WORLD};
  /// The partner of this rank; MPI_PROC_NULL if it has none.
  const int peer = (world.rank() ^ 1) < world.size() ? world.rank() ^ 1 : MPI_PROC_NULL;
};

} // namespace test_support
