// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "pipeline/stream.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// A broadcast among ranks that share memory. The root alone knows how its data lie, so it decides, and tells
/// the others first: either it packs chunks into its part of the arena, where the others unpack them and say
/// that they have; or, where its data are dense and many, or the arena is used up, chunks go in messages.
/// Blocks, lending the caller; throws MpiError.
void bcast_shared(team::Member& member, const transport::Shadow& shadow, const pipeline::Stream& stream,
                  int root);

} // namespace helper::collective
