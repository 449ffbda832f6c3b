// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/sysgroup/sysgroup.hpp"
#include "ranks/communicator.hpp"
#include "reduction/reducer.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup {

/// A scan has the arguments that this member has given, which have been checked. There are data.
struct ScanCall {
  const char* function;
  ranks::Elements from, to; ///< may be the same
  reduction::Reducer reducer;
};

/// Combines the contributions of the members of ranks 0 to this one's, in this order, whether the operation
/// commutes or not. On the way up the tree each member combines, for each interval of ranks of its subtree,
/// what they contribute; on the way down it learns what the ranks before each of them contribute together.
/// Both go by a message for each interval. Collective over the group; blocks, lending `member`. Throws
/// MpiError and PeerGaveUp.
void scan(team::Member& member, const Sysgroup& group, const ScanCall& call);

} // namespace helper::groups::sysgroup
