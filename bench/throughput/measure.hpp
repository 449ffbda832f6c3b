// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/crew.hpp"
#include "jobs/peers.hpp"
#include "report.hpp"
#include "workload.hpp"

#include <chrono>
#include <vector>

namespace bench {

/// Where the variants are performed: the threads that lend themselves, and on the first rank the jobs of
/// other MPIs.
struct Stage {
  Crew& crew;
  const std::vector<Peer>& peers; ///< at the first rank; empty at the others
  bool oversubscribed;            ///< there are more ranks than processing units
};

/// Measures one workload with every variant in turn, again and again until `time` has passed; at least 5 and
/// at most 100 times. To be called by all ranks, from what the crew runs. Throws std::runtime_error, on all
/// ranks, if a variant's result is wrong.
Point measure(Workload& workload, Stage& stage, const std::vector<Variant>& variants,
              std::chrono::duration<double> time);

} // namespace bench
