// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Two ranks communicate in main(), and again in the destructor of a static object, which finalises MPI. The
// thread-local objects of the main thread have been destroyed by then. With AT_EXIT_TEAM the ranks
// communicate in a phase.

#include <cstdio>
#include <mpi.h>
#include <numeric>
#include <vector>

#ifdef AT_EXIT_TEAM
#include <mpi_helper.h>
#endif

namespace {

struct Pair {
  double value;
  int index;
};

/// Sends a column of a matrix to the other rank, and reduces pairs. Returns whether the results are right.
bool communicate_right() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int rows = 3000;
  std::vector<double> out(2 * rows), in(out.size(), -1);
  std::iota(out.begin(), out.end(), 0);
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(in.data(), 1, column, 1 - rank, 0, MPI_COMM_WORLD, &request);
  MPI_Send(out.data(), 1, column, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  bool is_right = true;
  for (std::size_t i = 0; i < in.size(); ++i) is_right = is_right && in[i] == (i % 2 == 0 ? out[i] : -1);
  MPI_Bcast(out.data(), 1, column, 0, MPI_COMM_WORLD);
  MPI_Type_free(&column);
  const Pair mine{1.0 * rank, rank};
  Pair most{};
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  return is_right && most.index == 1;
}

class Environment {
public:
  ~Environment() {
    std::puts(communicate_right() ? "right at the end" : "WRONG RESULT");
#ifdef AT_EXIT_TEAM
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
#endif
    std::fflush(stdout); // after MPI_Finalize the launcher may read nothing more
    MPI_Finalize();
  }

#ifdef AT_EXIT_TEAM
  MPI_Helper_team team{};
#endif
} environment;

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
#ifdef AT_EXIT_TEAM
  MPI_Helper_team_create(0, 1, &environment.team);
  MPI_Helper_join(environment.team);
#endif
  std::puts(communicate_right() ? "right in main" : "WRONG RESULT");
}
