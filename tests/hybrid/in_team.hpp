// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace test_support {

/// Calls `body(index, team)` in a phase of a new team, in each of its `size` members. The calling thread is
/// member `own`. Members call CREATE in the order of their indices. At thread levels below
/// MPI_THREAD_SERIALIZED only the calling thread may call MPI.
inline void in_team(int size, int own, const std::function<void(int, MPI_Helper_team)>& body,
                    int team_id = 1) {
  std::atomic<int> next{0}; // the member that creates next
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
