// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "collective/shared_operation.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// MPI_Allreduce among ranks that have a window, through slots of the node's arena, in rounds. Each rank
/// packs a round's contributions into its slot, reduces its piece of the round from all ranks' slots into its
/// own, and stores what it then finds in the slots. Returns false, at all ranks alike and having done
/// nothing, where a rank has no slot left, or an element does not fit into one. Blocks, lending the caller;
/// throws MpiError and PeerGaveUp.
bool allreduce_staged(SharedOperation& shared, const Reduction& reduction, const pipeline::Stream& from,
                      const pipeline::Stream& to);

} // namespace helper::collective
