// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "workload.hpp"

namespace mcmc {

std::vector<Group> regroup(const std::vector<Group>& groups) {
  std::vector<Group> regrouped;
  for (const Group& group : groups) {
    if (!regrouped.empty() && regrouped.back().items <= 0)
      regrouped.back() = {regrouped.back().first, group.last, group.items};
    else
      regrouped.push_back(group);
  }
  return regrouped;
}

} // namespace mcmc
