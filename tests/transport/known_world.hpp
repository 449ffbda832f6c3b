// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include "ranks/world.hpp"

namespace test_support {

/// While the object lives, the library takes the ranks of MPI_COMM_WORLD with color `color` for all ranks.
struct KnownWorld {
  explicit KnownWorld(int color = 0) {
    MPI_Comm messages = MPI_COMM_NULL;
    MPI_Comm operations = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, 0, &messages);
    MPI_Comm_dup(messages, &operations);
    helper::ranks::world::make(messages, operations);
  }
  ~KnownWorld() { helper::ranks::world::free(); }
  KnownWorld(const KnownWorld&) = delete;
  KnownWorld& operator=(const KnownWorld&) = delete;
};

} // namespace test_support
