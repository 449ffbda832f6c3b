// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "crew.hpp"

#include <algorithm>
#include <exception>
#include <omp.h>
#include <stdexcept>
#include <utility>

namespace bench {

Crew::Crew(std::vector<int> teams)
    : teams_(std::move(teams)), handles_(static_cast<std::size_t>(std::ranges::max(teams_))),
      all_threads_(std::ranges::max(teams_)) {
  omp_set_dynamic(0);
  if (omp_get_thread_limit() < std::ranges::max(teams_))
    throw std::runtime_error("OMP_THREAD_LIMIT is less than the largest team");
}

void Crew::run(const std::function<void()>& conduct) {
  std::exception_ptr failure;
#pragma omp parallel num_threads(static_cast <int>(handles_.size()))
  {
    const int thread = omp_get_thread_num();
    auto& handles = handles_[static_cast<std::size_t>(thread)];
    for (const int team : teams_)
      if (thread < team && !handles.contains(team)) MPI_Helper_team_create(team, team, &handles[team]);

    if (thread == 0) {
      try {
        conduct();
      } catch (...) {
        failure = std::current_exception();
      }
      next_team_ = 0;
      all_threads_.arrive_and_wait();
    } else {
      stand_by(thread);
    }
    for (auto& [team, handle] : handles) MPI_Helper_team_free(&handle);
  }
  if (failure) std::rethrow_exception(failure);
}

void Crew::phase(int team, const std::function<void()>& communicate) {
  if (team == 0) return communicate();
  next_team_ = team;
  all_threads_.arrive_and_wait();
  const MPI_Helper_team handle = handles_[0].at(team);
  MPI_Helper_join(handle);
  all_threads_.arrive_and_wait(); // the barrier of Example 1
  communicate();
  MPI_Helper_leave(handle);
}

void Crew::stand_by(int thread) {
  for (;;) {
    all_threads_.arrive_and_wait();
    const int team = next_team_;
    if (team == 0) return;
    if (thread < team) MPI_Helper_join(handles_[static_cast<std::size_t>(thread)].at(team));
    all_threads_.arrive_and_wait();
    if (thread < team) MPI_Helper_leave(handles_[static_cast<std::size_t>(thread)].at(team));
  }
}

} // namespace bench
