// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <memory>

#include "groups/sysgroup/sweep.hpp"
#include "team/team.hpp"

/// This namespace has the non-blocking operations of this process. Their requests are generalised ones, which
/// MPI polls when they are waited for or tested. A thread that does so, or that waits for anything in a
/// phase, goes on with all operations; one thread at a time does. Operations of one group take turns, in the
/// order in which they were started.
namespace helper::groups::sysgroup::pending {

/// Has the members that wait in MPI go on with the operations. To be called once, in MPI_Init.
void start();

/// Starts an operation. Throws MpiError.
void begin(std::shared_ptr<const Sysgroup> group, const Sweep::Call& call, MPI_Request* request);

/// Waits until all operations on the group that this process has started are over, lending `member`.
void settle(const Sysgroup& group, team::Member& member);

} // namespace helper::groups::sysgroup::pending
