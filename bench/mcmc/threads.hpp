// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include "workload.hpp"

#include <barrier>
#include <thread>

namespace mcmc {

inline double steps_per_second = 0; ///< of each thread, from calibrate()

/// Takes `steps` steps of the logistic map. Each step needs the result of the previous one.
inline double walk(double state, double steps) {
  for (double step = 0; step < steps; ++step) state *= 3.9 * (1 - state);
  return state;
}

/// The threads of this rank. The thread that constructs and destroys the object is in a phase of a team in
/// between, so it sleeps while it waits. Only this thread calls other functions. If the workload has teams,
/// the other threads are members of the team and help it whenever they have no item. Otherwise they wait at a
/// barrier.
class Threads {
public:
  explicit Threads(const Workload& workload)
      : lends_(workload.teams), slower_(workload.slower),
        found_(static_cast<std::size_t>(std::max(1, workload.threads)), std::vector<double>(workload.found)),
        sum_(workload.found), barrier_(static_cast<std::ptrdiff_t>(found_.size())), team_(join()) {
    for (int thread = 1; thread < workload.threads; ++thread)
      others_.emplace_back([this, thread] { stand_by(thread); });
  }
  ~Threads() {
    ends_ = true;
    meet(team_);
    MPI_Helper_leave(team_);
    MPI_Helper_team_free(&team_);
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// All threads together do work that takes one of them `seconds`. The numbers that each has found are
  /// summed over the threads and the ranks of `group`. Collective over `group`.
  void compute(double seconds, MPI_Comm group) {
    item_ = {seconds / static_cast<double>(found_.size()), group};
    meet(team_);
    share(0, team_);
  }

private:
  struct Item {
    double seconds = 0; ///< of each thread
    MPI_Comm group = MPI_COMM_NULL;
  };

  /// The main loop of the other threads.
  void stand_by(int thread) {
    MPI_Helper_team team = lends_ ? join() : MPI_HELPER_TEAM_NULL;
    for (meet(team); !ends_; meet(team)) share(thread, team);
    if (!lends_) return;
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  }

  MPI_Helper_team join() const {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    const int size = lends_ ? static_cast<int>(found_.size()) : 1;
    MPI_Helper_team_create(size, size, &team);
    MPI_Helper_join(team);
    return team;
  }

  /// A barrier of all threads: an item begins, or ends_ is true.
  void meet(MPI_Helper_team team) {
    if (lends_)
      MPI_Helper_fence(team);
    else
      barrier_.arrive_and_wait();
  }

  void share(int thread, MPI_Helper_team team) {
    auto& found = found_[static_cast<std::size_t>(thread)];
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(item_.seconds);
    found.front() = walk(0.1 + 0.01 * thread, item_.seconds * steps_per_second / slower_);
    if (slower_ > 1) std::this_thread::sleep_until(end);
    if (lends_) {
      MPIX_Helper_allreduce(team, found.data(), sum_.data(), static_cast<int>(sum_.size()), MPI_DOUBLE,
                            MPI_SUM, item_.group);
    } else {
      barrier_.arrive_and_wait();
      if (thread == 0) add_up();
    }
  }

  void add_up() {
    sum_ = found_.front();
    for (std::size_t thread = 1; thread < found_.size(); ++thread)
      std::ranges::transform(sum_, found_[thread], sum_.begin(), std::plus<>());
    MPI_Allreduce(MPI_IN_PLACE, sum_.data(), static_cast<int>(sum_.size()), MPI_DOUBLE, MPI_SUM, item_.group);
  }

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

/// Measures at rank 0 how many steps a thread computes in a second, while the other ranks wait. Collective
/// over MPI_COMM_WORLD. Call it before any Threads compute.
inline void calibrate() {
  const Threads waiting_asleep{Workload{}};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    constexpr double steps = 1e8;
    const double begun = MPI_Wtime();
    const volatile double state = walk(0.3, steps);
    static_cast<void>(state);
    steps_per_second = steps / (MPI_Wtime() - begun);
  }
  MPI_Bcast(&steps_per_second, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/// Runs the benchmark with all ranks of MPI_COMM_WORLD. They sleep, or compute with `threads`. Collective.
/// Only the thread that made `threads` calls it. Times are of the slowest rank.
Result run(const Workload& workload, const Balancing& balancing, Threads& threads);

} // namespace mcmc
