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
  topology::Cpuset given; ///< the processing units that the launcher lets the process use
  int sharers = 1;        ///< processes of this node that were given the same, this one included
  int first_sharer = 0;   ///< the index on the node of the first of them
  topology::Cpuset share; ///< this process's part of them

  bool is_oversubscribed() const { return topology::oversubscribed(sharers, given); }
};

/// Returns this process's place: local ranks that were all given the same share it out. It is collective over
/// `node`.
ProcessPlace find_place(const ranks::NodeRanks& node);

/// Counts together the threads of processes that were given the same place. The library calls it once, when
/// the processes of the node share memory.
void count_processes(const ProcessPlace& place);

/// Describes the place of a process of `threads` for a person, in some short lines; those but the first are
/// indented.
std::string describe(const ProcessPlace& place, int threads);

/// Returns that helpers cannot help, if the processes that were given the same cores have more threads than
/// there are cores; an empty text otherwise.
std::string describe_crowding(const ProcessPlace& place, int threads);

} // namespace helper::process
