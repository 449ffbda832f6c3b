// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "hybrid/call.hpp"

namespace helper::hybrid {

/// Throws Rejected unless all members reduce equally many elements of one kind by one operation.
void agree_on_reduction(MemberCalls calls);

/// Reduces the contributions of all members, `count` elements each, in their order, into `result`, or copies
/// a single one. Returns false if there is nothing to reduce, or MPI shall report an error.
bool combine(team::Member& leader, const MemberCall& own, MemberCalls calls, MPI_Count count,
             const pipeline::Stream& result);

} // namespace helper::hybrid
