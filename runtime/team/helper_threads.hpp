// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "team/team.hpp"

namespace helper::team {

/// Threads of the library that only work for one team. They block all signals except faults, like SIGSEGV.
class HelperThreads {
public:
  /// Starts `count` threads, or as many as the system allows. Each first calls `begin(i)`, i in [0, count),
  /// which must not throw. `team` must outlive this object.
  HelperThreads(Team& team, int count, const std::function<void(int)>& begin);

  /// Ends and joins the threads; no member may have unfinished jobs.
  ~HelperThreads();
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

  std::size_t count() const noexcept { return threads_.size(); }

  /// Returns the system's reason for starting fewer than `count` threads; empty if all have started.
  const std::string& refusal() const noexcept { return refusal_; }

private:
  explicit HelperThreads(Team& team) noexcept : team_(team) {}

  Team& team_;
  std::atomic<bool> stop_{false}; // set once, before the team's doorbell wakes every thread
  std::vector<std::thread> threads_;
  std::string refusal_;
};

} // namespace helper::team
