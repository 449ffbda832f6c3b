// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/moves.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// Copies what moves between two ranks from buffer to buffer, where that is more than short_most and lies
/// densely in both. Takes it out of `moves`, and leaves what the rank has for itself. The ranks have a window
/// and can copy from and to one another's memory. Blocks, lending the caller; throws MpiError and PeerGaveUp.
void copy_between(Moves& moves, team::Member& member, const transport::Shadow& shadow);

} // namespace helper::collective
