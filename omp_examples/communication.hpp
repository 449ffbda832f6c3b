// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What the examples that compare have in common: communication with a team and without, and how long it took.

#pragma once

#include "arguments.h"

#include <mpi_helper.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <omp.h>

namespace example {

/// What one thread of a parallel region has for its communication; each thread makes its own.
class Communication {
public:
  /// With `helped` the region's threads are a team.
  explicit Communication(bool helped) {
    if (helped) MPI_Helper_team_create(0, omp_get_num_threads(), &team_);
  }
  ~Communication() {
    if (team_ != MPI_HELPER_TEAM_NULL) MPI_Helper_team_free(&team_);
  }
  Communication(const Communication&) = delete;
  Communication& operator=(const Communication&) = delete;

  /// Called by all threads when all have computed what is to be sent: the main thread runs `communicate`, and
  /// the others help if they are a team. Returns when it is done.
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

  /// How long the calling thread has communicated; 0 but for the main thread.
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

/// Initialises MPI at the level of programs whose main thread communicates.
inline World start(int& argc, char**& argv) {
  World world;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  return world;
}

/// How many of `count` things the part `index` of `parts` has, and the first of them.
struct Share {
  int first, count;
};

inline Share share(int count, int parts, int index) {
  const int first = count * index / parts;
  return {first, count * (index + 1) / parts - first};
}

/// The program's arguments, as read_arguments() reads them.
template <std::size_t count>
std::array<int, count> read(int argc, char** argv, const argument (&arguments)[count]) {
  std::array<int, count> values{};
  read_arguments(argc, argv, static_cast<int>(count), arguments, values.data(), nullptr);
  return values;
}

/// Shows how long all calls of `what` took at rank 0, without a team and with it.
inline void show(const char* what, double without, double with) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("%-28s %8.2f ms without the team, %8.2f ms with it\n", what, without * 1e3, with * 1e3);
}

/// The exit status: whether nothing went wrong here, and if not, says so.
inline int status(double error, double tolerance) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (error <= tolerance) return EXIT_SUCCESS;
  std::fprintf(stderr, "rank %d: off by up to %g\n", rank, error);
  return EXIT_FAILURE;
}

} // namespace example
