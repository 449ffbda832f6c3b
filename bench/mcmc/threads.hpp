// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include "workload.hpp"

#include <barrier>
#include <thread>

namespace mcmc {

/// Measures at rank 0 how many steps a thread computes in a second, while the other ranks wait. Collective
/// over MPI_COMM_WORLD. Call it before any Threads compute.
void calibrate();

/// The threads of this rank. The thread that constructs and destroys the object is in a phase of a team in
/// between, so it sleeps while it waits. Only this thread calls other functions. If the workload has teams,
/// the other threads are members of the team and help it whenever they have no item. Otherwise they wait at a
/// barrier.
class Threads {
public:
  explicit Threads(const Workload& workload);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// All threads together do work that takes one of them `seconds`. The numbers that each has found are
  /// summed over the threads and the ranks of `group`. Collective over `group`.
  void compute(double seconds, MPI_Comm group);

private:
  struct Item {
    double seconds = 0; ///< of each thread
    MPI_Comm group = MPI_COMM_NULL;
  };

  /// The main loop of the other threads.
  void stand_by(int thread);
  MPI_Helper_team join() const;
  /// A barrier of all threads: an item begins, or ends_ is true.
  void meet(MPI_Helper_team team);
  void share(int thread, MPI_Helper_team team);
  void add_up();

  const bool lends_;
  const int slower_;
  std::vector<std::vector<double>> found_; ///< by thread
  std::vector<double> sum_;
  std::barrier<> barrier_;
  MPI_Helper_team team_;
  Item item_; ///< written before the barrier in meet() and read after it, like ends_
  bool ends_ = false;
  std::vector<std::jthread> others_;
};

/// Runs the benchmark with all ranks of MPI_COMM_WORLD. They sleep, or compute with `threads`. Collective.
/// Only the thread that made `threads` calls it. Times are of the slowest rank.
Result run(const Workload& workload, const Balancing& balancing, Threads& threads);

} // namespace mcmc
