// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "collective/results.hpp"
#include "collective/shares.hpp"
#include "collective/slots.hpp"
#include "pipeline/stores.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// Reduces among ranks that have a window, through slots of the node's arena, in rounds. Each rank packs a
/// round's contributions into its slot, reduces its piece of the round from all ranks' slots, and stores it;
/// if others want it, it stores it into its own slot, and it then finds their pieces in theirs. There is at
/// least one slot; the slots are written by `stores`. The caller then finishes the slots' operation. Blocks,
/// lending the caller; throws MpiError and PeerGaveUp.
void reduce_shm_cico(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares,
                     const Results& results, const SlotRounds& cut, const Slots& slots,
                     pipeline::Stores stores);

} // namespace helper::collective
