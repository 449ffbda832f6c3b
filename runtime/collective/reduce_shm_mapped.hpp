// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "collective/results.hpp"
#include "collective/shared_operation.hpp"
#include "collective/shares.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

enum class Mapped { impossible, unwanted, done };

/// A reduction of data that all ranks have in memory of MPI_Alloc_mem. Each reduces its share of the elements
/// from where they are; what others want of its results they copy from where it has put them. At all ranks
/// alike it does nothing and is impossible if the data of any rank are elsewhere, scattered or cannot be
/// mapped, if shares have results that their owners have no place for, or that would overwrite contributions,
/// or if only the primary may reduce; otherwise it is unwanted if rank 0 does not want it, which `wanted`
/// says there. Blocks, lending the caller; throws PeerGaveUp.
Mapped reduce_shm_mapped(SharedOperation& shared, const Reduction& reduction, const pipeline::Stream& from,
                         const Shares& shares, const Results& results, bool wanted);

} // namespace helper::collective
