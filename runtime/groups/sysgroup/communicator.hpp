// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "groups/sysgroup/group.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup {

/// The members' ranks in the channel, in the order of their ranks in the group. Collective over the group:
/// blocks, lending `member`. Throws MpiError and PeerGaveUp.
std::vector<int> members(const std::shared_ptr<Group>& group, team::Member& member);

/// A communicator of the members, which are `members`, with the ranks that they have in the group and the
/// error handler of MPI_COMM_WORLD. Collective over the group; blocks in MPI. Throws MpiError.
MPI_Comm make_communicator(const Group& group, const std::vector<int>& members);

} // namespace helper::groups::sysgroup
