// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "groups/sysgroup/sysgroup.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup {

/// Returns the members' ranks in the channel, in the order of their ranks in the group. It is collective over
/// the group and blocks, lending `member`. Throws MpiError and PeerGaveUp.
std::vector<int> members(const std::shared_ptr<Sysgroup>& group, team::Member& member);

/// Makes a communicator of the group's members, whose ranks in the channel are `members`, with the ranks that
/// they have in the group and the error handler of MPI_COMM_WORLD. It is collective over the group and blocks
/// in MPI. Throws MpiError.
MPI_Comm make_communicator(const Sysgroup& group, const std::vector<int>& members);

} // namespace helper::groups::sysgroup
