// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/in_node.hpp"

#include "collective/direct.hpp"
#include "collective/shared_operation.hpp"
#include "collective/staged.hpp"

namespace helper::collective {

bool reduce_in_node(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares,
                    const Results& results, pipeline::StoreChoices& choices) {
  SharedOperation shared(reduction.operation, reduction.member, reduction.shadow);
  if (reduce_direct(shared, reduction, from, shares, results) ||
      reduce_staged(shared, reduction, from, shares, results, choices))
    return true;
  shared.finish();
  return false;
}

} // namespace helper::collective
