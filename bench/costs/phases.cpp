// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Two ranks. Rank 0 prints microseconds of each of many calls. Arguments:
//   late [team]             the processor time that all its threads take in MPI_Allreduce, which rank 1
//                           calls a millisecond late. The calls are native or in a phase of a team of two
//   exchange SIZE [others]  an exchange of messages of SIZE bytes, alternately native and in a phase of a
//                           team of one. With "others" both ranks write 5 MiB before each, like programs
//                           that compute

#include <mpi_helper.h>

#include "common/crew.hpp"
#include "common/shared_memory.hpp"
#include "common/sleep_debt.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

void allreduce_with_a_late_rank(int rank, bool native) {
  constexpr int calls = 200, untimed = 20;
  for (int call = 0; call < calls; ++call) {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    double sum = 1;
    const long begun = bench::now(CLOCK_PROCESS_CPUTIME_ID);
    (native ? PMPI_Allreduce : MPI_Allreduce)(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const long used = bench::now(CLOCK_PROCESS_CPUTIME_ID) - begun;
    if (rank == 0 && call >= untimed) std::printf("%.3f\n", 1e-3 * static_cast<double>(used));
  }
}

void in_phase(int size, const std::function<void()>& communicate) {
  bench::Crew crew({size});
  crew.run([&] { crew.phase(size, communicate); });
}

template <auto Irecv, auto Isend, auto Waitall>
double exchange(int peer, std::vector<char>& out, std::vector<char>& in) {
  const int count = static_cast<int>(out.size());
  MPI_Request requests[2];
  const double begun = MPI_Wtime();
  Irecv(in.data(), count, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[0]);
  Isend(out.data(), count, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[1]);
  Waitall(2, requests, MPI_STATUSES_IGNORE);
  return 1e6 * (MPI_Wtime() - begun);
}

void exchange_all(int rank, std::size_t size, std::size_t size_of_others) {
  constexpr int exchanges = 1500, untimed = 100;
  std::vector<char> out(size), in(size), other(size_of_others);
  bench::Meeting meeting;
  for (int k = 0; k < 2 * exchanges; ++k) {
    std::ranges::fill(other, static_cast<char>(k));
    meeting.meet(rank);
    const double took = k % 2 == 0 ? exchange<PMPI_Irecv, PMPI_Isend, PMPI_Waitall>(1 - rank, out, in)
                                   : exchange<MPI_Irecv, MPI_Isend, MPI_Waitall>(1 - rank, out, in);
    if (rank == 0 && k >= 2 * untimed) std::printf("%.3f\n", took);
  }
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  int rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (std::string_view(argv[1]) == "exchange")
    in_phase(1, [&] { exchange_all(rank, std::strtoul(argv[2], nullptr, 10), argc > 3 ? 5 << 20 : 0); });
  else if (argc > 2)
    in_phase(2, [&] { allreduce_with_a_late_rank(rank, false); });
  else
    allreduce_with_a_late_rank(rank, true);
  MPI_Finalize();
}
