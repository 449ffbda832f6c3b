// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <memory>

#include "sysgroup/group.hpp"
#include "team/team.hpp"

namespace helper::sysgroup {

/// A communicator of the members, with their ranks, that has the error handler of MPI_COMM_WORLD. Collective
/// over the group: blocks, lending `member`. O(members) memory. Throws MpiError and PeerGaveUp.
MPI_Comm to_communicator(const std::shared_ptr<Group>& group, team::Member& member);

} // namespace helper::sysgroup
