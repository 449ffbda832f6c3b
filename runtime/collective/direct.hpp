// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "collective/shared_operation.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// MPI_Allreduce of data that all ranks have in memory of MPI_Alloc_mem. Each reduces its share of the
/// elements into its own result, from where the others copy it. Returns false, at all ranks alike and having
/// done nothing, if the data of any rank are elsewhere, scattered or cannot be mapped, or only the primary
/// may reduce. Blocks, lending the caller; throws PeerGaveUp.
bool allreduce_direct(SharedOperation& shared, const Reduction& reduction, const pipeline::Stream& from,
                      const pipeline::Stream& to);

} // namespace helper::collective
