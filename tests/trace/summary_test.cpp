// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <deque>
#include <sstream>
#include <string>

#include "support/catch.hpp"
#include "trace/summary.hpp"

using namespace helper::trace;

namespace {

/// Records calls of a process with two members: member 0 calls, and member 1 helps.
void communicate(std::deque<Track>& tracks, int calls) {
  Track& caller = tracks.emplace_back(4, 0, 0);
  Track& helper = tracks.emplace_back(4, 1, 0);
  for (int call = 0; call < calls; ++call) {
    caller.enter("MPI_Bcast");
    caller.moved(3 << 20, 2);
    caller.carried_by(call % 2 == 0 ? "binomial" : "shm_linear");
    const auto begin = caller.work_begins();
    caller.worked(begin, Stage::pack, "MPI_Bcast", 0, 100);
    helper.worked(begin, Stage::pack, "MPI_Bcast", 0, 100);
    helper.worked(begin, Stage::pack, "MPI_Bcast", 0, 100);
    caller.leave();
  }
  caller.enter("MPI_Bcast");
  caller.decline("one rank");
  caller.went(Way::lent);
  caller.leave();
}

} // namespace

TEST_CASE("The table sums up the processes") {
  std::deque<Track> first;
  std::deque<Track> second;
  communicate(first, 5);
  communicate(second, 7);
  Summary summary;
  summary.add(counters_text(first));
  summary.add(counters_text(second));
  const std::string table = summary.table();
  INFO(table);
  // The columns are calls, carried, lent, native, bytes and times. Lines about chunks follow.
  CHECK_THAT(table, Catch::Matches("[^]*\nteam 4\n  MPI_Bcast +14 +12 +2 +- +36\\.0 MiB +[0-9.]+ +[0-9.]+\n"
                                   "    carried: 7, binomial\n    carried: 5, shm_linear\n"
                                   "    not carried: 2, one rank\n    chunks: 12 by callers, 24 by helper 1\n"
                                   "    ranks: time [0-9.]+ to [0-9.]+, waiting [0-9.]+ to [0-9.]+"));
}

TEST_CASE("Times are means, and the least and greatest where there are several processes") {
  Summary summary;
  // Fields: team, member, function, calls by way, bytes, time, waiting, own and helped chunks, algorithms.
  summary.add("0\t0\tMPI_Send\t0\t1\t0\t8\t1000000\t500000\t0\t0\t0\n"
              "0\t1\tMPI_Send\t0\t1\t0\t8\t2000000\t0\t0\t0\t0\n"); // times of members are added
  summary.add("0\t0\tMPI_Send\t0\t0\t1\t8\t6000000\t0\t0\t0\t0\n");
  summary.add(
      "0\t0\tMPI_Recv\t1\t0\t0\t2048\t1500\t1500\t3\t4\t1\t5\tshm_linear\t1\tno room\t2\ttoo small\n");
  const std::string table = summary.table();
  INFO(table);
  CHECK_THAT(table, Catch::Matches("[^]*\n  MPI_Recv +1 +1 +- +- +2\\.0 KiB +0\\.002 +0\\.002\n"
                                   "    carried: 5, shm_linear\n    not carried: 1, no room\n"
                                   "    not carried: 2, too small\n    chunks: 3 by callers, 4 by helper 1\n"
                                   "  MPI_Send +3 +- +2 +1 +24 B +4\\.500 +0\\.250\n"
                                   "    ranks: time 3\\.000 to 6\\.000, waiting 0\\.000 to 0\\.500"));
}

TEST_CASE("Helpers are numbered from 1, without the only caller") {
  Summary summary;
  summary.add("0\t1\tMPI_Send\t1\t0\t0\t8\t1\t1\t5\t0\t0\n" // member 1 is the caller
              "0\t0\tMPI_Send\t0\t0\t0\t0\t0\t0\t0\t2\t0\n"
              "0\t2\tMPI_Send\t0\t0\t0\t0\t0\t0\t0\t3\t0\n");
  CHECK_THAT(summary.table(), Catch::Contains("chunks: 5 by callers, 2 by helper 1, 3 by helper 2"));
  Summary alone;
  alone.add("0\t0\tMPI_Send\t1\t0\t0\t8\t1\t1\t5\t0\t0\n");
  CHECK_THAT(alone.table(), Catch::Contains("chunks: 5 by callers, none by helpers"));
  CHECK_THAT(alone.table(), !Catch::Contains(" to ")); // one rank has single times
}

TEST_CASE("The table has at most 100 columns") {
  Summary summary;
  for (int process = 0; process < 2; ++process) {
    for (int member = 0; member < 64; ++member)
      summary.add("0\t" + std::to_string(member) +
                  "\tMPIX_Helper_reduce_scatter_block\t99\t999\t999\t1000000000000\t99999999999\t"
                  "99999999999\t999999\t999999\t0\t1\ta reason that says in many words why the calls, of "
                  "which there were many, were not carried by the team, but left to MPI\n");
  }
  const std::string table = summary.table();
  INFO(table);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  CHECK_THAT(table, Catch::Contains("by helper 64"));
}
