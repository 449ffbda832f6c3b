// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <algorithm>
#include <barrier>
#include <exception>
#include <functional>
#include <omp.h>
#include <stdexcept>
#include <vector>

namespace bench {

/// Makes the calling thread a member of a team, and keeps it in a phase as long as it lives.
class Membership {
public:
  Membership(int key, int size) {
    MPI_Helper_team_create(key, size, &team_);
    MPI_Helper_join(team_);
  }
  ~Membership() {
    MPI_Helper_leave(team_);
    MPI_Helper_team_free(&team_);
  }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

private:
  MPI_Helper_team team_ = MPI_HELPER_TEAM_NULL;
};

/// The threads of an OpenMP program that help their first thread, in teams of several sizes, as in Example 1
/// of the proposal.
///
/// The threads live as long as the Crew. A team and its phase last for one sample, because the library counts
/// members outside phases as threads that compute. Outside phases all threads but the first sleep, so that
/// native MPI and smaller teams run undisturbed.
class Crew {
public:
  /// `teams`: at least one team size, each at least 1. Throws std::runtime_error if OpenMP does not grant
  /// that many threads.
  explicit Crew(const std::vector<int>& teams) : threads_(std::ranges::max(teams)), all_threads_(threads_) {
    omp_set_dynamic(0);
    if (omp_get_thread_limit() < threads_)
      throw std::runtime_error("OMP_THREAD_LIMIT is less than the largest team");
  }

  /// Runs `conduct` on the calling thread. The other threads wait until it returns or throws.
  void run(const std::function<void()>& conduct) {
    std::exception_ptr failure;
#pragma omp parallel num_threads(threads_)
    {
      if (omp_get_thread_num() == 0) {
        try {
          conduct();
        } catch (...) {
          failure = std::current_exception();
        }
        next_team_ = 0;
        all_threads_.arrive_and_wait();
      } else {
        stand_by(omp_get_thread_num());
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  /// Called by `conduct`. Returns what `communicate` returns, which must not throw, in a phase of the team of
  /// size `team`. All other members have joined and are about to enter LEAVE. Size 0: outside any phase.
  template <class Communicate>
  auto phase(int team, const Communicate& communicate) {
    if (team == 0) return communicate();
    next_team_ = team;
    all_threads_.arrive_and_wait();
    return take_part(team, communicate);
  }

private:
  template <class Communicate>
  auto take_part(int team, const Communicate& communicate) {
    const Membership membership(team, team);
    all_threads_.arrive_and_wait(); // the barrier of Example 1
    return communicate();
  }

  void stand_by(int thread) {
    for (;;) {
      all_threads_.arrive_and_wait();
      const int team = next_team_;
      if (team == 0) return;
      if (thread < team)
        take_part(team, [] {});
      else
        all_threads_.arrive_and_wait();
    }
  }

  const int threads_;
  std::barrier<> all_threads_; ///< sleeps whatever OMP_WAIT_POLICY is, unlike OpenMP's barrier
  int next_team_ = 0;          ///< team of the next phase, 0 at the end; `all_threads_` orders its accesses
};

} // namespace bench
