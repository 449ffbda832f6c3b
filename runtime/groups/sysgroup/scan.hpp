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

/// Combines the contributions of ranks 0 to this one in this order, so the operation need not commute. On the
/// way up, each member combines the contributions of each interval of ranks in its subtree. On the way down,
/// it receives the combined data of the ranks before each interval. Each edge carries one message for each
/// interval. Collective over the group; blocks, lending `member`. Throws MpiError and PeerGaveUp.
void scan(team::Member& member, const Sysgroup& group, const ScanCall& call);

} // namespace helper::groups::sysgroup
