// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "collective/selection.hpp"
#include "groups/creation/create.hpp"
#include "process/recording.hpp"
#include "settings/settings.hpp"
#include "shm/division.hpp"
#include "team/helper_threads.hpp"
#include "topology/cpuset.hpp"

/// The state behind the functions of process.hpp.
namespace helper::process {

/// The cores of this process, and how many processes of the node share them.
struct ProcessPlace {
  topology::Cpuset given; ///< the cores on which the launcher lets the process run
  int sharers = 1;        ///< processes of this node with the same cores, including this one
  int first_sharer = 0;   ///< the index on the node of the first of these processes
  topology::Cpuset share; ///< this process's part of the cores

  bool is_oversubscribed() const { return sharers > given.size(); }
};

/// The state of the process. current() reads the settings. Other members are written while the library begins
/// or ends: then there is no team, and a thread that wants to make one waits.
struct State {
  settings::Settings settings;
  collective::Overrides overrides{};
  collective::Tuned tuned;
  groups::creation::Options group;
  ProcessPlace place;
  bool is_settled = false; ///< whether the place among the other processes is known
  int rank = 0;

  std::unique_ptr<Recording> recording;
  std::unique_ptr<team::HelperThreads> helpers;

  // The number of members of the largest team of the program. Relaxed: it is only printed.
  std::atomic<int> largest_team{0};
};

/// Returns the state. The first call reads the settings, and may throw std::invalid_argument.
State& current();

/// Returns the state, or nullptr if there is none yet.
State* present_state() noexcept;

/// Returns the bytes that the process wants in the arena of its node.
shm::Wanted wanted_of_arena(const settings::Settings& settings);

/// Describes the place of a process with `threads` threads in short lines. The first line is not indented.
std::string describe(const ProcessPlace& place, int threads);

/// If processes have more threads than cores, returns a text that helpers bring no gain; otherwise empty.
std::string describe_crowding(const ProcessPlace& place, int threads);

/// Returns a line about the costs assumed between nodes; empty on one node. For rank 0, which chose them.
std::string costs_between_nodes(const State& running);

/// Begins everything except transparent mode. Collective over all processes. Returns the least
/// MPI_HELPER_THREADS of all processes: transparent mode is on unless it is 0.
int begin_with_all(State& starting);

} // namespace helper::process
