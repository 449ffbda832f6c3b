// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <memory>

#include "groups/sysgroup/sweep.hpp"
#include "team/team.hpp"

/// The non-blocking operations of this process. Their requests are generalised ones that MPI polls when they
/// are waited for or tested; whoever does so, and who waits for anything in a phase, goes on with all of
/// them, one thread at a time. Operations of one group take turns, in the order in which they were started.
namespace helper::groups::sysgroup::pending {

/// Has the members that wait in MPI go on with them. Once, at MPI_Init.
void start();

/// Starts an operation. Throws MpiError.
void begin(std::shared_ptr<const Group> group, const Call& call, MPI_Request* request);

/// Returns when none of the group is left that this process has started, lending `member`.
void settle(const Group& group, team::Member& member);

} // namespace helper::groups::sysgroup::pending
