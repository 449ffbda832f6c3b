// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "collective/results.hpp"
#include "collective/shares.hpp"
#include "collective/slots.hpp"
#include "pipeline/store_choice.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// A reduction among ranks that have a window, through slots of the node's arena, in rounds. Each rank packs
/// a round's contributions into its slot, reduces its piece of the round from all ranks' slots, and stores
/// it, into its own slot if others want it, whose pieces it then finds in theirs. There is a slot, at least;
/// they are written by `stores`. To be finished by the slots' operation. Blocks, lending the caller; throws
/// MpiError and PeerGaveUp.
void reduce_shm_cico(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares,
                     const Results& results, const SlotRounds& cut, const Slots& slots,
                     pipeline::Stores stores);

} // namespace helper::collective
