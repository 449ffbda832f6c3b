// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// An MPI program that knows nothing of helper teams, and calls nothing but one operation, allreduce or bcast,
// on so many bytes of doubles. Rank 0 prints what each call took until the last rank had returned, in
// microseconds. What is sent is written anew before each call; where something is only received, the first
// call is the first to touch it, unless there is a third argument.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mpi.h>
#include <span>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  constexpr int calls = 100;
  int rank = 0;
  int ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool is_bcast = std::string_view(argv[1]) == "bcast";
  const std::size_t count = std::strtoul(argv[2], nullptr, 10) / sizeof(double);
  const std::unique_ptr<double[]> in(new double[count]), out(new double[count]);
  const std::span sent(in.get(), is_bcast && rank != 0 ? 0 : count);
  double* const received = is_bcast && rank == 0 ? in.get() : out.get();
  if (argc > 3) std::ranges::fill(std::span(received, count), 0);
  std::vector<double> microseconds;
  for (int call = 1; call <= calls; ++call) {
    std::ranges::fill(sent, call);
    PMPI_Barrier(MPI_COMM_WORLD); // which the library, if it is preloaded, knows nothing of either
    const double begun = MPI_Wtime();
    if (is_bcast)
      MPI_Bcast(received, static_cast<int>(count), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
      MPI_Allreduce(in.get(), received, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    microseconds.push_back((MPI_Wtime() - begun) * 1e6);
  }
  const double expected = is_bcast ? calls : calls * ranks;
  if (std::ranges::count(std::span(received, count), expected) != static_cast<std::ptrdiff_t>(count)) {
    std::fprintf(stderr, "rank %d has received something else than was sent\n", rank);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  std::vector<double> last(microseconds.size());
  PMPI_Reduce(microseconds.data(), last.data(), calls, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (const double each : last) std::printf("%.3f\n", each);
  MPI_Finalize();
}
