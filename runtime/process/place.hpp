// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include "ranks/node_ranks.hpp"
#include "topology/cpuset.hpp"
#include "topology/placement.hpp"

namespace helper::process {

/// The cores and memory of the node that belong to this process.
struct ProcessPlace {
  topology::Cpuset given; ///< the cores on which the launcher lets the process run
  int sharers = 1;        ///< processes of this node with the same cores, including this one
  int first_sharer = 0;   ///< the index on the node of the first of them
  topology::Cpuset share; ///< this process's part of the cores

  bool is_oversubscribed() const { return topology::oversubscribed(sharers, given); }
};

/// Returns this process's place. Processes with the same cores divide them. Collective over `node`.
ProcessPlace find_place(const ranks::NodeRanks& node);

/// Counts the threads of processes with the same cores together. The library calls it once, when the
/// processes of the node share memory.
void count_processes(const ProcessPlace& place);

/// Describes the place of a process of `threads` threads for a person, in some short lines. Lines after the
/// first are indented.
std::string describe(const ProcessPlace& place, int threads);

/// Returns the text that helpers cannot help, if the processes with the same cores have more threads than
/// cores. Otherwise returns an empty text.
std::string describe_crowding(const ProcessPlace& place, int threads);

} // namespace helper::process
