// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Two ranks exchange messages with MPI_Irecv, MPI_Isend and MPI_Waitall. The first argument is their size in
// bytes. Rank 0 prints the microseconds of each exchange, natively and in a phase of a team of one. With a
// second argument both ranks write 5 MiB before each exchange, like programs that compute between messages.

#include <mpi_helper.h>

#include "common/meeting.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

namespace {

template <auto Irecv, auto Isend, auto Waitall>
double exchange(int peer, std::vector<char>& out, std::vector<char>& in) {
  const int count = static_cast<int>(out.size());
  std::array<MPI_Request, 2> requests;
  const double begun = MPI_Wtime();
  Irecv(in.data(), count, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[0]);
  Isend(out.data(), count, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[1]);
  Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  return 1e6 * (MPI_Wtime() - begun);
}

} // namespace

int main(int argc, char** argv) {
  constexpr int exchanges = 1500, untimed = 100;
  int provided = 0;
  int rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> out(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 8), in(out.size());
  std::vector<char> other(argc > 2 ? 5 << 20 : 0);
  {
    bench::Meeting meeting;
    MPI_Helper_team team;
    MPI_Helper_team_create(0, 1, &team);
    MPI_Helper_join(team);
    for (int k = 0; k < 2 * exchanges; ++k) {
      std::ranges::fill(other, static_cast<char>(k));
      meeting.meet(rank);
      const double took = k % 2 == 0 ? exchange<PMPI_Irecv, PMPI_Isend, PMPI_Waitall>(1 - rank, out, in)
                                     : exchange<MPI_Irecv, MPI_Isend, MPI_Waitall>(1 - rank, out, in);
      if (rank == 0 && k >= 2 * untimed) std::printf("%.3f\n", took);
    }
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  }
  MPI_Finalize();
}
