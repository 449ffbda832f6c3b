// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/output.hpp"
#include "workload.hpp"

#include <string>

namespace mcmc {

using bench::Json;

/// One run.
struct Result {
  Workload workload;
  Balancing balancing;
  Outcome outcome;

  std::string name() const { return balancing.name() + (workload.teams ? " teams" : ""); }
};

/// A line of the results, with the figures of the paper if its Table 1, a file, has this line.
Json json_of(const Result& result, const std::string& table);

} // namespace mcmc
