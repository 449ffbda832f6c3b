// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "study.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace bench {
namespace {

using helper::tree::Rank;
using model::EnrolmentCosts;

/// 374 MB/s of payload over one of the machine's torus links (425 MB/s with its packets' headers).
constexpr double link_seconds_per_byte = 1 / 374e6;

constexpr std::array fitted_fractions{0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99};
constexpr std::array<Rank, 5> fitted_processes{2048, 4096, 8192, 16384, 32768};

/// Root mean square of the logarithms of the ratios to the paper's times.
double misfit(const Paper& paper, const EnrolmentCosts& costs) {
  double sum = 0;
  for (const double fraction : fitted_fractions)
    for (const Rank processes : fitted_processes) {
      const Cell cell = run_cell(paper, named_scheme("hash"), fraction, processes, costs);
      sum += std::pow(std::log(cell.ours.seconds / cell.paper->seconds), 2);
    }
  return std::sqrt(sum / static_cast<double>(fitted_fractions.size() * fitted_processes.size()));
}

/// Sets a constant so that the time of one cell is the paper's, which it makes longer.
void meet(const Paper& paper, EnrolmentCosts& costs, double& constant, double upper, const char* scheme,
          double fraction, Rank processes) {
  double lower = 0;
  while (upper - lower > 1e-3 * upper) {
    constant = (lower + upper) / 2;
    const Cell cell = run_cell(paper, named_scheme(scheme), fraction, processes, costs);
    (cell.time_deviation() > 0 ? upper : lower) = constant;
  }
}

} // namespace

Cell run_cell(const Paper& paper, const NamedScheme& scheme, double fraction, Rank processes,
              const EnrolmentCosts& costs) {
  const Rank participants = paper.participants(fraction, processes);
  return {&scheme,
          fraction,
          processes,
          participants,
          model::enrol(costs, draw_participants(participants, processes), scheme.scheme),
          paper.find(scheme, fraction, processes)};
}

EnrolmentCosts fit(const Paper& paper, const std::function<void(const std::string&)>& tell) {
  EnrolmentCosts costs{{4e-6, 3e-6, 3e-6, 0, link_seconds_per_byte, 0}, 0, 0};
  double best = misfit(paper, costs);
  for (double step = 1.4; step > 1.01; step = std::sqrt(step)) {
    for (double* constant :
         {&costs.messages.latency, &costs.messages.send_overhead, &costs.messages.receive_overhead}) {
      for (const double factor : {step, 1 / step}) {
        for (;;) {
          const double before = *constant;
          *constant *= factor;
          const double now = misfit(paper, costs);
          if (now >= best) {
            *constant = before;
            break;
          }
          best = now;
        }
      }
    }
    tell(fmt::format("hash column: {:.2f} % from the paper's", best * 100));
  }
  tell("lists");
  // Copying hardly matters to the smallest messages, nor they to the largest: two rounds are enough.
  for (int round = 0; round < 2; ++round) {
    meet(paper, costs, costs.per_list, 20e-6, "centralised", 0.001, 2048);
    meet(paper, costs, costs.messages.overhead_per_byte, 10e-9, "centralised", 0.99, 131072);
  }
  meet(paper, costs, costs.per_filler, 20e-6, "balance", 0.99, 2048);
  return costs;
}

EnrolmentCosts without_lists(EnrolmentCosts costs) {
  costs.messages.overhead_per_byte = costs.per_list = costs.per_filler = 0;
  return costs;
}

EnrolmentCosts blue_gene() {
  return {{7.76e-6, 2.51e-6, 3.00e-6, 0, link_seconds_per_byte, 2.45e-9}, 2.65e-6, 3.70e-6};
}

} // namespace bench
