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
  helper::tree::Rank processes, participants;
  model::Enrolled ours;
  std::optional<Measured> paper;

  double time_deviation() const { return ours.seconds / paper->seconds - 1; }
  double message_deviation() const {
    return static_cast<double>(ours.messages) / static_cast<double>(paper->messages) - 1;
  }
};

Cell run_cell(const Paper& paper, const NamedScheme& scheme, double fraction, helper::tree::Rank processes,
              const model::EnrolmentCosts& costs);

/// The costs found by `fit` for the paper's Blue Gene/P.
model::EnrolmentCosts blue_gene();

/// Latency and the two overheads fitted to Table II's hash column, up to 32k processes, by least squares of
/// logarithms. The link's bandwidth is that published for the machine, and the gap is no longer than the
/// overhead.
///
/// The hash scheme sends no lists, so its column cannot tell what they cost. The three constants for that are
/// each set to meet one cell of another column: `per_list` and the overhead per byte two of the centralised
/// scheme's (2k processes, 0.001; 128k, 0.99), `per_filler` one of balance's (2k, 0.99). `tell` is called
/// with a line of text now and then.
model::EnrolmentCosts fit(const Paper& paper, const std::function<void(const std::string&)>& tell);

/// The same without what other columns than hash were needed for.
model::EnrolmentCosts without_lists(model::EnrolmentCosts costs);

} // namespace bench
