// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "collective/results.hpp"
#include "collective/shares.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// Reduces among ranks that have a window, without messages: see ShmMapped and reduce_shm_cico(). Returns
/// false, at all ranks alike and having done nothing, if neither can be used, since a rank has no slot left.
/// Blocks, lending the caller; throws MpiError and PeerGaveUp.
bool reduce_in_node(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares,
                    const Results& results);

} // namespace helper::collective
