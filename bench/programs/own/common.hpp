// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Job {
  int rank = 0, ranks = 1, steps; ///< steps: the program's first argument
  std::vector<MPI_Datatype> types{};

  Job(int argc, char** argv, int default_steps) : steps(argc > 1 ? std::atoi(argv[1]) : default_steps) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }

  /// Returns the type of a part of an array of three dimensions.
  MPI_Datatype part_of(const std::vector<int>& sizes, const std::vector<int>& part,
                       const std::vector<int>& start, MPI_Datatype element) {
    MPI_Type_create_subarray(3, sizes.data(), part.data(), start.data(), MPI_ORDER_C, element,
                             &types.emplace_back());
    MPI_Type_commit(&types.back());
    return types.back();
  }

  /// Adds up the checksums of all ranks, and prints the sum. Returns the status of main(): 1 if the sum or
  /// the largest error of a rank's values is off. Every rank calls it at its end.
  int finish(double sum, double expected, double error, double tolerance) {
    double sums = 0, errors = 0;
    MPI_Allreduce(&sum, &sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&error, &errors, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const bool is_right =
        std::abs(sums - expected) <= tolerance * (1 + std::abs(expected)) && errors <= tolerance;
    if (rank == 0)
      std::printf("checksum %.9g, serially %.9g, largest error %.3g: %s\n", sums, expected, errors,
                  is_right ? "right" : "WRONG");
    for (MPI_Datatype& type : types) MPI_Type_free(&type);
    MPI_Finalize();
    return is_right ? 0 : 1;
  }
};
