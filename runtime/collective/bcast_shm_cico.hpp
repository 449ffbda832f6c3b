// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "pipeline/stream.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// A broadcast among ranks that share memory: the root packs chunks into slots of its part of the arena,
/// where the others unpack them. The root, which alone knows how its data lie, first tells them its plan:
/// which slots, or that the chunks come in messages as in bcast_pipelined_tree, and how large they are.
/// Blocks, lending the caller; throws MpiError.
void bcast_shm_cico(team::Member& member, const transport::Shadow& shadow, const pipeline::Stream& stream,
                    int root);

} // namespace helper::collective
