// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include "workload.hpp"

namespace mcmc {

/// Of a group of the ranks from `first` to `last`, in seconds after the begin. It had work until
/// `worked_until`.
struct Lifetime {
  int first, last;
  double since, worked_until, until;
};

/// One run.
struct Result {
  Workload workload;
  Balancing balancing;
  Outcome outcome;
  std::vector<Lifetime> groups{}; ///< all that there were, in a real run

  std::string name() const { return balancing.name() + (workload.teams ? " teams" : ""); }
};

void print_head();
/// With the paper's figures beside, of a file with Table 1, if it has this one.
void print_line(const Result& result, const std::string& table);
void write_json(const std::vector<Result>& results, const std::string& file);

} // namespace mcmc
