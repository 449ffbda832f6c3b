// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/reduction.hpp"
#include "pipeline/stream.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// Shows the contribution, all of `from`, and stores in `to` what those of the first `ranks` ranks come to.
/// If `ranks` is 0, nothing is stored or looked at.
void reduce_shm_linear(const Reduction& reduction, const pipeline::Stream& from, const pipeline::Stream* to,
                       int ranks);

/// Shows the contribution, all of `from`, and stores in `to`, at all ranks, what those of all ranks come to:
/// as many of the elements from `first` on as fit into `to`.
void allreduce_shm_linear(const Reduction& reduction, const pipeline::Stream& from,
                          const pipeline::Stream& to, std::size_t first = 0);

void bcast_shm_linear(team::Member& member, const transport::Shadow& shadow, const pipeline::Stream& stream,
                      int root);

void barrier_shm_linear(team::Member& member, const transport::Shadow& shadow);

} // namespace helper::collective
