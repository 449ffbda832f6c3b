// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/creation/create.hpp"
#include "team/team.hpp"

namespace helper::groups::creation {

/// The greatest of the numbers that the members from `begin` to before `end` come with, of whom the caller is
/// one, once all of them have; lends `waiting` until then. What they do next may block in MPI without being
/// long: none of them is missing. Throws MpiError.
int meet(const Members& members, int begin, int end, int number, team::Member& waiting);

} // namespace helper::groups::creation
