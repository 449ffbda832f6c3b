// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "paper.hpp"

#include <functional>

namespace bench {

/// One run of the model, beside what the paper has of it.
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
              helper::groups::tree::Rank processes, const model::Costs& costs);

/// Latency and overhead fitted to Table II's hash column, up to 32k processes, by least squares of
/// logarithms, which is how model::blue_gene::fitted was found; all other cells are prediction. `tell` is
/// called with a line of text now and then.
model::Costs fit(const Paper& paper, const std::function<void(const std::string&)>& tell);

} // namespace bench
