// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/reduction.hpp"
#include "collective/results.hpp"
#include "collective/shares.hpp"
#include "pipeline/store_choice.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// These choices are learned for one operation.
struct InNodeChoices {
  /// This says where contributions are read, if all ranks' are in memory of MPI_Alloc_mem. Between cores that
  /// share no cache they are faster read from slots, where streaming stores have put them, than from another
  /// core's cache: 64 KiB at 2 ranks take 12 us, and 24 in place; where they do share one, 8 and 6.
  enum class Way { slots, in_place };
  pipeline::Choices<Way> ways;
  pipeline::StoreChoices stores;
};

/// Reduces among ranks that have a window, without messages: see ShmMapped and reduce_shm_cico(). Returns
/// false, at all ranks alike and having done nothing, if neither can be used, since a rank has no slot left.
/// Blocks, lending the caller; throws MpiError and PeerGaveUp.
bool reduce_in_node(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares,
                    const Results& results, InNodeChoices& choices);

} // namespace helper::collective
