// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/creation/create.hpp"
#include "team/team.hpp"

namespace helper::groups::creation {

/// Sends a number to the process that `members.comm` calls `rank`, and lends `waiting` meanwhile. Throws
/// MpiError.
void tell(const Members& members, int rank, int number, team::Member& waiting);

/// Receives the number that such a process tells this one, and lends `waiting` meanwhile. Throws MpiError.
int hear(const Members& members, int rank, team::Member& waiting);

} // namespace helper::groups::creation
