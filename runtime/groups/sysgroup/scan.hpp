// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/sysgroup/sysgroup.hpp"
#include "ranks/communicator.hpp"
#include "reduction/reducer.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup {

/// This member's arguments of a scan, checked. There are data.
struct ScanCall {
  const char* function;
  ranks::Elements from, to; ///< may be the same
  reduction::Reducer reducer;
};

/// Combines the contributions of ranks 0 to this one in order. On the way up, each member combines each
/// interval of ranks in its subtree. On the way down, it receives the data of the ranks before each interval.
/// Each edge carries a message for each. Collective; blocks, lending `member`. Throws MpiError and
/// PeerGaveUp.
void scan(team::Member& member, const Sysgroup& group, const ScanCall& call);

} // namespace helper::groups::sysgroup
