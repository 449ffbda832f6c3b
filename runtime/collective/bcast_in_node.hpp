// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/selection.hpp"
#include "pipeline/stream.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// Broadcasts among ranks that share memory. The root, which alone knows how its data lie, first tells the
/// others its plan. By `algorithm` cma, dense data are copied from process to process; by shm_cico, and where
/// they are not dense, the root packs chunks into slots of its part of the arena, where the others unpack
/// them. Returns false, at all ranks alike and having done nothing, if the root has no slot left. Blocks,
/// lending the caller; throws MpiError and PeerGaveUp.
bool bcast_in_node(team::Member& member, const transport::Shadow& shadow, const pipeline::Stream& stream,
                   int root, Algorithm algorithm);

} // namespace helper::collective
