// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The common part of the examples that compare times: communication with and without a team, and how long it
// took.

#pragma once

#include "arguments.h"

#include <mpi_helper.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <omp.h>

namespace example {

/// The state of one thread of a parallel region for its communication. Each thread makes its own.
class Communication {
public:
  /// `helped`: the threads of the region are a team.
  explicit Communication(bool helped) {
    if (helped) MPI_Helper_team_create(0, omp_get_num_threads(), &team_);
  }
  ~Communication() {
    if (team_ != MPI_HELPER_TEAM_NULL) MPI_Helper_team_free(&team_);
  }
  Communication(const Communication&) = delete;
  Communication& operator=(const Communication&) = delete;

  /// All threads call it when the data to be sent have been computed. The main thread runs `communicate`; the
  /// others help if they are a team. Returns when the communication is done.
  template <class Function>
  void operator()(Function&& communicate) {
    if (team_ != MPI_HELPER_TEAM_NULL) MPI_Helper_join(team_);
    if (omp_get_thread_num() == 0) {
      const double begin = MPI_Wtime();
      communicate();
      seconds_ += MPI_Wtime() - begin;
    }
    if (team_ != MPI_HELPER_TEAM_NULL) {
      MPI_Helper_leave(team_); // waits for all
    } else {
#pragma omp barrier
    }
  }

  /// Returns how long the main thread has communicated; 0 on other threads.
  double seconds() const {
    return seconds_;
  }

private:
  MPI_Helper_team team_ = MPI_HELPER_TEAM_NULL;
  double seconds_ = 0;
};

/// The ranks of MPI_COMM_WORLD.
struct World {
  int size, rank;
};

/// Initialises MPI at the thread level for programs whose main thread communicates.
inline World start(int& argc, char**& argv) {
  World world;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  return world;
}

/// The block of part `index` when `count` items are divided into `parts` parts: its size and first item.
struct Share {
  int first, count;
};

inline Share share(int count, int parts, int index) {
  const int first = count * index / parts;
  return {first, count * (index + 1) / parts - first};
}

/// Returns the program's arguments, read with read_arguments().
template <std::size_t count>
std::array<int, count> read(int argc, char** argv, const argument (&arguments)[count]) {
  std::array<int, count> values{};
  read_arguments(argc, argv, static_cast<int>(count), arguments, values.data(), nullptr);
  return values;
}

/// Prints the time of all calls of `what` at rank 0, without and with a team.
inline void show(const char* what, double without, double with) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("%-28s %8.2f ms without the team, %8.2f ms with it\n", what, without * 1e3, with * 1e3);
}

/// Returns the exit status. Prints the error if it exceeds the tolerance.
inline int status(double error, double tolerance) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (error <= tolerance) return EXIT_SUCCESS;
  std::fprintf(stderr, "rank %d: off by up to %g\n", rank, error);
  return EXIT_FAILURE;
}

} // namespace example
