// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include "ranks/node_ranks.hpp"
#include "support/catch.hpp"

TEST_CASE("Where MPI does not know the node the system does") {
  const helper::ranks::NodeRanks node(MPI_COMM_WORLD);
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CHECK(node.count() == static_cast<std::size_t>(ranks));
  CHECK(node.in_world().at(static_cast<std::size_t>(rank)) == rank);
}
