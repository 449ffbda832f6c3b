// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "paper.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One run of the model, and the paper's result.
struct Cell {
  const NamedScheme* scheme;
  double fraction;
  helper::groups::tree::Rank processes, participants;
  model::Enrolled ours;
  std::optional<Measured> paper;

  double time_deviation() const { return ours.seconds / paper->seconds - 1; }
  double message_deviation() const {
    return static_cast<double>(ours.messages) / static_cast<double>(paper->messages) - 1;
  }
};

Cell run_cell(const Paper& paper, const NamedScheme& scheme, double fraction,
              helper::groups::tree::Rank processes, const model::Costs& costs, double list_cost = 1);

/// What follows from an assumption on the cost of lists: the cells of Fig. 7, hash with each filler, and of
/// balance, at each fraction of the paper's.
struct ListCost {
  double cost; ///< over that of a message
  std::vector<Cell> cells;
};

ListCost run_list_cost(const Paper& paper, double cost, helper::groups::tree::Rank processes,
                       const model::Costs& costs);

/// What a process did from `since` to `until`, in seconds after the start. The kind is the kind of the
/// message that it handled, as text; "" for the passes before and after the enrolment.
struct Stretch {
  int process;
  double since, until;
  std::string kind;
};

/// What each of few processes did when, in an enrolment of a half of them.
std::vector<Stretch> run_traced(const NamedScheme& scheme, helper::groups::tree::Rank processes,
                                const model::Costs& costs);

/// Latency and overhead fitted to Table II's hash column, up to 32k processes, by least squares of
/// logarithms, which is how model::blue_gene::fitted was found; all other cells are prediction. `tell` is
/// called with a line of text now and then.
model::Costs fit(const Paper& paper, const std::function<void(const std::string&)>& tell);

} // namespace bench
