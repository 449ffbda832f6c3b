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

/// This member's arguments of a gather, checked.
struct GatherCall {
  const char* function;
  std::size_t bytes;                     ///< of a block, equal at all members, more than 0
  std::optional<tree::Rank> root;        ///< nothing: all members get the blocks
  std::optional<ranks::Elements> own;    ///< nothing: the own block is in `blocks` already
  std::optional<ranks::Elements> blocks; ///< room for the blocks of all, in the order of their ranks
};

/// Gathers the blocks of all members up the tree to the root; without a root to rank 0, and then down: each
/// neighbour gets the blocks that it lacks. Each edge carries a message for each interval of ranks. Members
/// hold the blocks of members below. Collective; blocks, lending `member`. Throws MpiError and PeerGaveUp.
void gather(team::Member& member, const Sysgroup& group, const GatherCall& call);

} // namespace helper::groups::sysgroup
