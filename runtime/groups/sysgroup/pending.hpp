// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <memory>

#include "groups/sysgroup/sweep.hpp"
#include "team/team.hpp"

/// The non-blocking operations of this process, as generalised requests. MPI polls them when a thread waits
/// for them. Such a thread, or one that waits for anything in a phase, advances all operations, one thread at
/// a time. Operations of a group run one after the other, as they were started.
namespace helper::groups::sysgroup::pending {

/// Lets members that wait in MPI advance the operations. Call it once, in MPI_Init.
void start();

/// Starts an operation. Throws MpiError.
void begin(std::shared_ptr<const Sysgroup> group, const Sweep::SweepCall& call, MPI_Request* request);

/// Waits until all operations on the group that this process has started have finished, lending `member`.
void settle(const Sysgroup& group, team::Member& member);

} // namespace helper::groups::sysgroup::pending
