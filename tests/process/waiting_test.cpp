// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests the default of MPI_HELPER_STALL_REPORT: how a stall is reported if the setting is not set.
// transport.stall and team.misuse test that waits are reported.

#include <mpi.h>

#include <string>

#include "process/process.hpp"
#include "support/catch.hpp"
#include "support/standard_error.hpp"

using namespace std::chrono_literals;

TEST_CASE(
    "A wait of a minute is reported unless that is set, once on a node, and idle threads' waits are not") {
  const helper::team::Waiting waiting = helper::process::waiting();
  CHECK(waiting.stall_report == 60s);
  CHECK(waiting.leave_report == 0s);
  REQUIRE(waiting.report != nullptr);

  const std::string text = test_support::written_to_standard_error([&] {
    waiting.report("the first");
    waiting.report("the second");
  });
  int reports = text.empty() ? 0 : 1;
  PMPI_Allreduce(MPI_IN_PLACE, &reports, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(reports == 1);
  if (text.empty()) return;
  CHECK_THAT(text, Catch::StartsWith("mpi_helper: the first. That has taken 60 s so far") &&
                       !Catch::Contains("the second"));
}
