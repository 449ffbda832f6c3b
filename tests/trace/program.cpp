// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Communicates in teams of two, or with the second argument "transparent" in transparent mode. The first
// argument is the file for standard error of rank 0.

#include "trace/program.hpp"

#include <mpi_helper.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

using namespace test_support::program;

namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void communicate() {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  std::vector<double> matrix(2 * rows);
  std::vector<double> result(sums);
  for (int round = 0; round < rounds; ++round) {
    MPI_Bcast(matrix.data(), 1, column, 0, MPI_COMM_WORLD);
    MPI_Bcast(matrix.data(), 1, column, 0, MPI_COMM_SELF);
    MPI_Allreduce(matrix.data(), result.data(), sums, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(matrix.data(), moves, MPI_DOUBLE, result.data(), moves, MPI_DOUBLE, MPI_COMM_WORLD);
    if (rank_of_world() == 0)
      MPI_Send(matrix.data(), 1, column, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(matrix.data(), 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Type_free(&column);
}

void take_part(bool communicates) {
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(7, 2, &team);
  MPI_Helper_join(team);
  if (communicates) communicate();
  std::vector<double> own(sums);
  std::vector<double> sum(sums);
  MPIX_Helper_allreduce(team, own.data(), sum.data(), sums, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (rank_of_world() == 0 && std::freopen(argv[1], "w", stderr) == nullptr) return 1;
  if (argc > 2 && std::strcmp(argv[2], "transparent") == 0) {
    communicate();
  } else {
    std::thread helper(take_part, false);
    take_part(true);
    helper.join();
  }
  return MPI_Finalize();
}
