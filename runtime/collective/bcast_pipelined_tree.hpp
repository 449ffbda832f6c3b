// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "pipeline/stream.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// Broadcasts by messages down a tree of the ranks: chunks of `chunk` bytes, the same at all ranks, are
/// packed, sent, forwarded and unpacked in a pipeline. Blocks, lending the caller; throws MpiError.
void bcast_pipelined_tree(team::Member& member, const transport::Shadow& shadow,
                          const pipeline::Stream& stream, int root, std::size_t chunk);

/// Broadcasts at most short_most bytes, in one message along a binomial tree, without pipeline and staging.
/// Blocks, lending the caller; throws MpiError.
void bcast_binomial(team::Member& member, const transport::Shadow& shadow, const pipeline::Stream& stream,
                    int root);

} // namespace helper::collective
