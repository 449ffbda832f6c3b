// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "group/create.hpp"
#include "team/team.hpp"

namespace helper::group {

/// Returns when all members have come, and lends `member` until then. What follows may block in MPI without
/// being long: nobody is missing. Throws MpiError.
void meet(const Members& members, team::Member& member);

} // namespace helper::group
