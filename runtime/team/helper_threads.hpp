// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "team/team.hpp"

namespace helper::team {

/// These threads of the library's own only work for one team. They take no signals but their own faults.
class HelperThreads {
public:
  /// Starts `count` threads; each first calls `begin(i)`, i in [0, count), which must not throw. `team` must
  /// outlive this object. Throws std::system_error, leaving none, when a thread cannot be started.
  HelperThreads(Team& team, int count, const std::function<void(int)>& begin);

  /// Ends and joins the threads; no member may have unfinished jobs.
  ~HelperThreads();
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

private:
  explicit HelperThreads(Team& team) noexcept : team_(team) {}

  Team& team_;
  std::atomic<bool> stop_{false}; // set once; every thread is rung after that
  std::vector<std::thread> threads_;
};

} // namespace helper::team
