// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// Reduces among ranks that have a window and take turns on processing units. Rank after rank adds its
/// contribution, all of `from`, to what the rank before it has made of a piece, and puts what this makes into
/// its own slots, or, where it has none, into its frame, which has room for one piece. What the last has made
/// is the result, which ranks that have a `to` store there. So each waits for one other rank instead of all,
/// and sleeps while there is nothing for it to do. An element is at most SharedOperation::board_bytes long,
/// and there are at most SharedOperation::most_steps pieces. Blocks, lending the caller; throws MpiError and
/// PeerGaveUp.
void reduce_shm_chain(const Reduction& reduction, const pipeline::Stream& from, const pipeline::Stream* to);

} // namespace helper::collective
