// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

#include "transport/communicator.hpp"

/// MPI and the system both say which processes share a node. MPICH 5.0.2 of Debian has each rank alone on a
/// node of its own, which the system knows better.
namespace helper::transport::witnesses {

/// This is what is said of where one process is. Processes of which the same is said are on one node.
struct Said {
  std::uint64_t by_mpi = 0; ///< the lowest rank that MPI has on the node
  std::uint64_t by_system =
      0; ///< made of host name, boot id and which /dev/shm it is; 0 where that is unknown
};

/// This is what follows from what is said of all processes.
struct Verdict {
  std::size_t nodes_by_mpi = 0;
  std::size_t nodes_by_system = 0; ///< 0 where the system does not say it of all processes
  /// Some processes that are on different nodes for MPI are on one for the system, and the reverse is true of
  /// none.
  bool system_joins = false;
  bool disagree = false;
};

/// Compares what is said of all processes, by rank.
Verdict compare(std::span<const Said> all);

/// Returns what the system says of this process, for Said.
std::uint64_t here();

/// Tells, at all processes of `all` alike, whether those of `node` see one another's files in /dev/shm, on
/// all nodes. It is collective over `all`; `node` is the part of it with this process.
bool share_files(MPI_Comm all, MPI_Comm node);

/// Says who sees how many nodes, and who is believed.
std::string describe(const Verdict& verdict, bool system_is_believed);

} // namespace helper::transport::witnesses
