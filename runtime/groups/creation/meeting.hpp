// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/creation/create.hpp"
#include "team/team.hpp"

namespace helper::groups::creation {

/// Tells, at all of them alike, whether all members are in one MPI_COMM_WORLD. Throws MpiError.
bool are_in_one_world(const Members& members);

/// Waits until all members from `begin` to before `end`, one of them the caller, have come. Returns the
/// greatest `number` that they come with. Lends `waiting` until then. Afterwards members may block in MPI for
/// a short time, because none is missing. Throws MpiError.
int meet(const Members& members, int begin, int end, int number, team::Member& waiting);

/// Sends a number to the process that `members.comm` calls `rank`, and lends `waiting` meanwhile. Throws
/// MpiError.
void tell(const Members& members, int rank, int number, team::Member& waiting);

/// Receives the number that such a process tells this one, and lends `waiting` meanwhile. Throws MpiError.
int hear(const Members& members, int rank, team::Member& waiting);

} // namespace helper::groups::creation
