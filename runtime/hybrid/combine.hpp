// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "hybrid/call.hpp"

namespace helper::hybrid {

/// Throws Rejected unless all members reduce equally many elements of one kind by one operation.
void agree_on_reduction(MemberCalls calls);

/// Reduces the contributions of all members, `count` elements each, in the members' order, into `result`, as
/// a job of the team. Copies the contribution of a single member. Returns false if there is nothing to
/// reduce, or if MPI shall report what is wrong.
bool combine(team::Member& leader, const MemberCall& own, MemberCalls calls, MPI_Count count,
             const pipeline::Stream& result);

} // namespace helper::hybrid
