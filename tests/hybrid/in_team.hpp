// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace test_support {

/// Calls body(index, team) in each member of a new team, within a phase. The calling thread is the member
/// `own`. Indices are in the order of CREATE. Only the calling thread may call MPI at every level.
inline void in_team(int size, int own, const std::function<void(int, MPI_Helper_team)>& body,
                    int team_id = 1) {
  std::atomic<int> next{0}; // the index of the member that creates next
  const auto member = [&](int index) {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    while (next != index) std::this_thread::yield();
    MPI_Helper_team_create(team_id, size, &team);
    ++next;
    MPI_Helper_join(team);
    body(index, team);
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  };
  std::vector<std::thread> others;
  for (int index = 0; index < size; ++index) {
    if (index != own) others.emplace_back(member, index);
  }
  member(own);
  for (std::thread& other : others) other.join();
}

} // namespace test_support
