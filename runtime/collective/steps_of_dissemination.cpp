// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/schedule.hpp"
#include "collective/table.hpp"

namespace helper::collective {

/// Sends to rank + 1, + 2, + 4..., modulo the number of ranks, so that each rank has heard from all.
void steps::dissemination(Schedule& schedule, Operation, std::size_t) {
  const std::size_t rank = schedule.rank(), ranks = schedule.ranks();
  const BlockRun all = schedule.whole().all();
  for (std::size_t distance = 1; distance < ranks; distance *= 2)
    schedule.append({(rank + distance) % ranks, all, false, (rank + ranks - distance) % ranks, all});
}

} // namespace helper::collective
