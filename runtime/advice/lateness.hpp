// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include "advice/recorder.hpp"

namespace helper::advice {

/// How long each rank has waited for others, in the collective operations that all their ranks have timed.
struct Lateness {
  std::vector<double> waited, spent; ///< seconds, by rank
  std::vector<double> blamed;        ///< how long others have waited for this rank

  double share_waited(std::size_t rank) const { return spent[rank] > 0 ? waited[rank] / spent[rank] : 0; }
};

/// Computes the lateness from the stays of all ranks, given in the time of one clock.
Lateness lateness(const std::vector<std::vector<Stay>>& by_rank);

} // namespace helper::advice
