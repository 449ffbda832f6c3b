// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

#include "workload.hpp"

namespace mcmc {

/// Finds out how much a thread computes in a second, at rank 0, while the others wait. Collective over
/// MPI_COMM_WORLD; before any Threads compute.
void calibrate();

/// The threads of this rank. The one that makes and destroys the object is in a phase of a team in between,
/// and so waits asleep; it alone calls other functions. If the workload says so the others are members of the
/// team, and lend themselves whenever they have no item; otherwise they wait at a barrier.
class Threads {
public:
  explicit Threads(const Workload& workload);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// All threads do, together, what takes one of them that long. What each has found is added up over the
  /// threads and the ranks of `group`. Collective over that.
  void compute(double seconds, MPI_Comm group);

private:
  struct Item {
    double seconds = 0; ///< of each thread
    MPI_Comm group = MPI_COMM_NULL;
  };

  /// What the other threads do.
  void stand_by(int thread);
  MPI_Helper_team join() const;
  /// All threads meet: an item begins, or ends_ is true.
  void meet(MPI_Helper_team team);
  void share(int thread, MPI_Helper_team team);
  void add_up();

  const bool lends_;
  const int slower_;
  std::vector<std::vector<double>> found_; ///< by thread
  std::vector<double> sum_;
  std::barrier<> barrier_;
  MPI_Helper_team team_;
  Item item_; ///< written before all meet, and read after; and so is ends_
  bool ends_ = false;
  std::vector<std::jthread> others_;
};

} // namespace mcmc
