// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// A reduction among ranks that have a window and take turns on the processing units. Rank after rank adds
/// its contribution, all of `from`, to what those before it have made of a piece, in slots of the first rank;
/// what the last has made is the result, which ranks that have a `to` store there. So each waits for one
/// other rank instead of all, and sleeps while nothing is there for it to do. Returns false, at all ranks
/// alike and having done nothing, where the first has no slot left, or an element does not fit into a piece.
/// Blocks, lending the caller; throws MpiError and PeerGaveUp.
bool reduce_chained(const Reduction& reduction, const pipeline::Stream& from, const pipeline::Stream* to);

} // namespace helper::collective
