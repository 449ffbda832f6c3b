// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "collective/results.hpp"
#include "collective/shared_operation.hpp"
#include "collective/shares.hpp"
#include "pipeline/store_choice.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// A reduction among ranks that have a window, through slots of the node's arena, in rounds. Each rank packs
/// a round's contributions into its slot, reduces its piece of the round from all ranks' slots, and stores
/// it, into its own slot if others want it, whose pieces it then finds in theirs. Slots are written by
/// `stores`. Returns false, at all ranks alike and having done nothing, where a rank has no slot left, or
/// an element of every share does not fit into one. Blocks, lending the caller; throws MpiError and
/// PeerGaveUp.
bool reduce_shm_cico(SharedOperation& shared, const Reduction& reduction, const pipeline::Stream& from,
                     const Shares& shares, const Results& results, pipeline::Stores stores);

} // namespace helper::collective
