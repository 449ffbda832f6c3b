// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// stall CASE: rank 0 waits for the last rank in a collective operation until it sees its own stall report on
// standard error. It copies the report to standard output and ends the job.

#include <mpi.h>
#include <mpi_helper.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Replaces standard error by a pipe. A thread reads it up to the report, prints that, and kills the process.
void listen_for_report() {
  int ends[2]{};
  if (pipe(ends) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  dup2(ends[1], STDERR_FILENO);
  std::thread([from = ends[0]] {
    std::string heard;
    char next = 0;
    while (read(from, &next, 1) == 1) {
      heard += next;
      if (next == '\n' && heard.find(" waits in ") != heard.npos) break;
    }
    std::printf("%s", heard.c_str());
    std::fflush(stdout);
    std::raise(SIGKILL); // so that the launcher ends the other ranks, which hang
  }).detach();
}

void allreduce(int count) {
  const std::vector<double> in(static_cast<std::size_t>(count), 1);
  std::vector<double> out(in.size());
  MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argv[1];
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool is_last = rank == ranks - 1;
  if (rank == 0) listen_for_report();
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(0, 1, &team);

  if (what == "mixed") { // the last rank is outside of phases
    if (!is_last) MPI_Helper_join(team);
    allreduce(1);
  } else { // the last rank computes
    MPI_Helper_join(team);
    allreduce(1);
    if (is_last) pause();
    allreduce(what == "little" ? 1 : 100000);
  }
  std::printf("has not waited\n");
  return 1;
}
