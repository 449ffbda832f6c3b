// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "crew.hpp"

#include <algorithm>
#include <exception>
#include <omp.h>
#include <stdexcept>

namespace bench {

Crew::Crew(const std::vector<int>& teams) : threads_(std::ranges::max(teams)), all_threads_(threads_) {
  omp_set_dynamic(0);
  if (omp_get_thread_limit() < threads_)
    throw std::runtime_error("OMP_THREAD_LIMIT is less than the largest team");
}

void Crew::run(const std::function<void()>& conduct) {
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

void Crew::phase(int team, const std::function<void()>& communicate) {
  if (team == 0) return communicate();
  next_team_ = team;
  all_threads_.arrive_and_wait();
  take_part(team, communicate);
}

void Crew::stand_by(int thread) {
  for (;;) {
    all_threads_.arrive_and_wait();
    const int team = next_team_;
    if (team == 0) return;
    if (thread < team) {
      take_part(team, [] {});
    } else {
      all_threads_.arrive_and_wait();
    }
  }
}

void Crew::take_part(int team, const std::function<void()>& communicate) {
  MPI_Helper_team handle = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(team, team, &handle);
  MPI_Helper_join(handle);
  all_threads_.arrive_and_wait(); // the barrier of Example 1
  communicate();
  MPI_Helper_leave(handle);
  MPI_Helper_team_free(&handle);
}

} // namespace bench
