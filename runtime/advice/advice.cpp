// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "advice/findings.hpp"
#include "process/process.hpp"
#include "process/recording.hpp"

namespace helper::advice {

namespace {

/// What begin() leaves for end(). The thread that initialises MPI writes it.
struct MeasuredRun {
  Clock::time_point at;
  MPI_Comm comm;
  trace::ClockMap::Comparison clocks;
};
constinit std::optional<MeasuredRun> begun;

} // namespace

void begin() {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const auto clocks = process::compare_clocks(comm);
  begun = {Clock::now(), comm, clocks};
}

void end() {
  if (!begun) return;
  const double elapsed = std::chrono::duration<double>(Clock::now() - begun->at).count();
  const trace::ClockMap clock(begun->clocks, process::compare_clocks(begun->comm));
  try {
    const Findings findings = find(elapsed, clock, begun->comm);
    int rank = 0;
    PMPI_Comm_rank(begun->comm, &rank);
    if (rank == 0) std::fputs(screen(findings).c_str(), stderr);
  } catch (const std::exception& error) {
    process::print(std::string("no advice: ") + error.what());
  }
  PMPI_Comm_free(&begun->comm);
  begun.reset();
}

} // namespace helper::advice
