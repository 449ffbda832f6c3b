// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/creation/create.hpp"
#include "team/team.hpp"

namespace helper::groups::creation {

/// A number to, or from, the process that `members.comm` calls `rank`, for which `waiting` is lent. Throw
/// MpiError.
void tell(const Members& members, int rank, int number, team::Member& waiting);
int hear(const Members& members, int rank, team::Member& waiting);

} // namespace helper::groups::creation
