// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "groups/sysgroup/sysgroup.hpp"

/// What the members of a group make from it together. The functions are collective over the group and block.
namespace helper::groups::sysgroup {

/// Makes a group of the members of `parent` for each colour, several at once, lending `member`. Returns that
/// of the caller's colour; nullptr if the colour is negative. Throws MpiError and PeerGaveUp.
std::shared_ptr<Sysgroup> split(const std::shared_ptr<Sysgroup>& parent, const tree::Scheme& scheme,
                                int colour, team::Member& member);

/// Returns the members' ranks in the channel, by rank. Lends `member`. Throws MpiError and PeerGaveUp.
std::vector<int> members(const std::shared_ptr<Sysgroup>& group, team::Member& member);

/// Makes a communicator of the group's members, in the order of their ranks in the group, with the error
/// handler of MPI_COMM_WORLD. `members` are their ranks in the channel. Blocks in MPI. Throws MpiError.
MPI_Comm make_communicator(const Sysgroup& group, const std::vector<int>& members);

} // namespace helper::groups::sysgroup
