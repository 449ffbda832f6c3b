// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/creation/create.hpp"
#include "team/team.hpp"

namespace helper::groups::creation {

/// Tells, at all of them alike, whether all members are in one MPI_COMM_WORLD. Throws MpiError.
bool are_in_one_world(const Members& members);

/// Waits until the members from `begin` to before `end`, of whom the caller is one, have all come, and
/// returns the greatest of the `number`s that they come with; lends `waiting` until then. What they do next
/// may block in MPI without taking long, since none of them is missing. Throws MpiError.
int meet(const Members& members, int begin, int end, int number, team::Member& waiting);

/// Sends a number to the process that `members.comm` calls `rank`, and lends `waiting` meanwhile. Throws
/// MpiError.
void tell(const Members& members, int rank, int number, team::Member& waiting);

/// Receives the number that such a process tells this one, and lends `waiting` meanwhile. Throws MpiError.
int hear(const Members& members, int rank, team::Member& waiting);

} // namespace helper::groups::creation
