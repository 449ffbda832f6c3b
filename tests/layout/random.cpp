// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Random types against MPI's own pack and unpack, whole and in random pieces.

#include "layout/comparison.hpp"
#include "support/mpi_support.hpp"

#include <catch2/catch.hpp>

TEST_CASE("Random types pack and unpack as MPI does") {
  test_support::Random random(test_support::seed());
  for (int i = 0; i < 10000; ++i) {
    const std::string difference = test_support::compare_with_mpi(random);
    INFO(difference);
    REQUIRE(difference.empty());
  }
}
