// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include "support/catch.hpp"

TEST_CASE("fails on rank 1 alone") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CHECK(rank != 1);
}
