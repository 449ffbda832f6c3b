// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace mcmc {

/// Of a group of the ranks from `first` to `last`, in seconds after the begin. It had work until
/// `worked_until`.
struct Lifetime {
  int first, last;
  double since, worked_until, until;
};

/// Who belonged to which group when, as an SVG element, 360 units wide; also a file of its own. `end` is
/// where the axis ends, in seconds.
std::string timeline(const std::string& title, const std::vector<Lifetime>& groups, double end);

} // namespace mcmc
