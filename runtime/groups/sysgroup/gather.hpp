// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

#include "groups/sysgroup/sysgroup.hpp"
#include "ranks/communicator.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup {

/// The checked arguments of a gather, as this member has given them.
struct GatherCall {
  const char* function;
  std::size_t bytes;                     ///< of a block, the same at all members, more than 0
  std::optional<tree::Rank> root;        ///< without it all members get the blocks
  std::optional<ranks::Elements> own;    ///< without it the own block is in its place among all
  std::optional<ranks::Elements> blocks; ///< room for those of all, in the order of their ranks
};

/// Gathers the blocks of all members. They go up the tree turned to the root; where there is none, up to that
/// of rank 0, and then down, to each neighbour those that it lacks. They go by messages, one along an edge
/// for each interval of ranks. A member that is not to get all has the blocks of the members behind it
/// meanwhile. Collective over the group; blocks, lending `member`. Throws MpiError and PeerGaveUp.
void gather(team::Member& member, const Sysgroup& group, const GatherCall& call);

} // namespace helper::groups::sysgroup
