// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Many threads of a process create communicators at the same time: see at_once.cpp.

#include <mpi.h>

#include <string>

#include "groups/creation/launch.hpp"
#include "support/catch.hpp"
#include "support/mpi_support.hpp"

namespace {

std::string run(int ranks, const std::string& algorithm, int seconds) {
  return test_support::launch("-n " + std::to_string(ranks) + " " + PROGRAM + " " + algorithm, seconds);
}

} // namespace

TEST_CASE("Threads of the same processes create communicators at once") {
  const std::string algorithm = GENERATE("direct", "recursive", "multiway");
  const int ranks = GENERATE(2, 3, 5);
  CAPTURE(algorithm, ranks);
  if (MPI_VERSION < 4 && algorithm == "recursive") {
    WARN("Left out, as Open MPI 4's MPI_Intercomm_create hangs where several threads call it: recursive");
    return;
  }
  CHECK_THAT(run(ranks, algorithm, 60), Catch::Contains("all right"));
}

// Shows why the recursive algorithm has a communicator for each pair of leaders. If this test fails, the
// fault of MPI has been fixed.
TEST_CASE("MPI_Intercomm_create over one communicator by several threads fails in this MPI") {
  if (test_support::is_mpich_5_0()) {
    WARN("Left out: a hundred tries of MPICH 5.0.2 were right");
    return;
  }
  int tries = 100;
  while (tries > 0 && run(2, "native", 5).find("all right") != std::string::npos) --tries;
  CHECK(tries > 0);
}
