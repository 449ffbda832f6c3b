// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace bench {

/// A way to make a communicator of a group, or, by enrolment, a system-ranked group without one. Some are
/// collective over all the parent's ranks, the others over those of the group.
struct Way {
  std::string name;
  bool collective_over_parent;
};

const std::vector<Way>& ways();

/// What it takes to make a group of the first `size` of `parent` ranks.
struct Creation {
  int parent, size;
  std::vector<double> seconds; ///< the median of each of ways(), at rank 0
};

/// Measures in turn all ways, `repetitions` times each, with parents of the first `parent` ranks of
/// MPI_COMM_WORLD. Collective over that; who takes no part waits asleep.
std::vector<Creation> measure(int parent, int repetitions);

} // namespace bench
