// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The C++ interface: computes the mean and the variance of numbers drawn by all threads of all processes.
// Each thread keeps its numbers; hybrid collectives give it the sums over all threads.

#include "arguments.h"

#include <mpi_helper.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <random>
#include <system_error>
#include <vector>

namespace {

constexpr std::size_t count = 100'000;

std::vector<double> draw(unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> distribution(5, 2);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = distribution(engine);
  return numbers;
}

/// Returns whether the numbers of all members have about the mean and the variance that they were drawn with.
bool statistics_are_right(const mpi_helper::team& team, const std::vector<double>& numbers) {
  auto phase = team.join();     // left at the end of the function
  std::array<double, 2> sums{}; // the sum of the numbers, and their count
  for (const double number : numbers) sums[0] += number;
  sums[1] = static_cast<double>(numbers.size());
  phase.allreduce(sums, MPI_SUM, MPI_COMM_WORLD);
  const double mean = sums[0] / sums[1];

  std::array<double, 1> squares{}, all_squares{};
  for (const double number : numbers) squares[0] += (number - mean) * (number - mean);
  phase.allreduce(squares, all_squares, MPI_SUM, MPI_COMM_WORLD);
  return std::abs(mean - 5) < 0.1 && std::abs(all_squares[0] / sums[1] - 4) < 0.1;
}

} // namespace

int main(int argc, char** argv) {
  int provided, rank, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  read_arguments(argc, argv, 0, nullptr, nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // errors become exceptions

#pragma omp parallel reduction(+ : wrong)
  try {
    mpi_helper::team team(0, omp_get_num_threads());
    wrong += !statistics_are_right(team, draw(static_cast<unsigned>(100 * rank + omp_get_thread_num())));
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    ++wrong;
  }

  if (wrong == 0 && rank == 0) std::printf("The statistics are right\n");
  MPI_Finalize();
  return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
