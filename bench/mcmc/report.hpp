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

/// A line of the results.
inline Json json_of(const Result& result) {
  const auto& [workload, balancing, outcome] = result;
  const Spread spread = spread_of(outcome.regroupings);
  return {{"processes", workload.processes},
          {"threads", workload.threads},
          {"balancing", result.name()},
          {"seconds", outcome.seconds},
          {"ideal_seconds", workload.ideal_seconds()},
          {"regroupings",
           {{"mean", spread.mean},
            {"deviation", spread.deviation},
            {"least", spread.least},
            {"most", spread.most}}}};
}

} // namespace mcmc
