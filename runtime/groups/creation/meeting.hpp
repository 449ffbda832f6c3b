// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/creation/create.hpp"
#include "team/team.hpp"

namespace helper::groups::creation {

/// Returns, alike at all members, whether all members are in one MPI_COMM_WORLD. Throws MpiError.
bool are_in_one_world(const Members& members);

/// Waits, lending `waiting`, until all members in [begin, end) have come. Returns their greatest `number`.
/// Afterwards members may block briefly in MPI, since none is missing. Throws MpiError.
int meet(const Members& members, int begin, int end, int number, team::Member& waiting);

/// Sends a number to rank `rank` of `members.comm`. Lends `waiting` meanwhile. Throws MpiError.
void tell(const Members& members, int rank, int number, team::Member& waiting);

/// Receives a number that such a process sends to this one. Lends `waiting` meanwhile. Throws MpiError.
int hear(const Members& members, int rank, team::Member& waiting);

} // namespace helper::groups::creation
