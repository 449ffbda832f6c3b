// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "study.hpp"

#include <fstream>
#include <random>
#include <sstream>

namespace bench {

using helper::groups::tree::Scheme;

const std::vector<NamedScheme>& named_schemes() {
  using enum Scheme::SchemeAlgorithm;
  using enum Scheme::Filler;
  static const std::vector<NamedScheme> all{
      {"hash", {hash, none, 3}, "hash"},        {"centralised", {centralised, none, 3}, "cent"},
      {"balance", {balance, leaf, 3}, "spass"}, {"balance-child", {balance, child, 3}, ""},
      {"hash-child", {hash, child, 3}, ""},     {"hash-leaf", {hash, leaf, 3}, ""}};
  return all;
}

const NamedScheme& named_scheme(const std::string& name) {
  return *std::ranges::find(named_schemes(), name, &NamedScheme::name);
}

Paper::Paper(const std::string& file) {
  std::ifstream in(file);
  std::vector<Rank> processes;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string fraction, scheme, first, second;
    std::getline(std::getline(fields, fraction, ','), scheme, ',');
    for (std::size_t column = 0; std::getline(std::getline(fields, first, ','), second, ','); ++column) {
      if (scheme == "scheme")
        processes.push_back(std::stoi(first));
      else if (!first.empty()) // it was measured
        cells_.push_back(
            {scheme, std::stod(fraction), processes.at(column), std::stod(first) * 1e-6, std::stoul(second)});
    }
  }
  if (cells_.empty()) throw std::runtime_error("cannot read " + file);
}

std::optional<Measured> Paper::find(const NamedScheme& scheme, double fraction, Rank processes) const {
  const auto cell = std::ranges::find_if(cells_, [&](const Measured& one) {
    return one.scheme == scheme.in_paper && one.fraction == fraction && one.processes == processes;
  });
  return cell == cells_.end() ? std::nullopt : std::optional(*cell);
}

Rank Paper::participants(double fraction, Rank processes) const {
  const auto cell = find(named_scheme("centralised"), fraction, processes);
  if (cell) return static_cast<Rank>(cell->messages) - (processes - 1) + 1;
  return std::max(1, static_cast<Rank>(std::lround(fraction * processes)));
}

std::vector<bool> draw_participants(Rank participants, Rank processes) {
  std::vector<bool> drawn(static_cast<std::size_t>(processes));
  drawn[0] = true;
  std::mt19937_64 random(static_cast<std::uint64_t>(processes));
  Rank needed = participants - 1;
  for (Rank left = processes - 1; left > 0; --left) {
    if (std::uniform_int_distribution<Rank>(1, left)(random) > needed) continue;
    drawn[static_cast<std::size_t>(left)] = true;
    --needed;
  }
  return drawn;
}

namespace {

constexpr std::array fractions_of_paper{0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99};

/// Returns the root mean square of the logarithms of the ratios to the paper's times.
double misfit(const Paper& paper, const model::Costs& costs) {
  constexpr std::array<Rank, 5> numbers{2048, 4096, 8192, 16384, 32768};
  double sum = 0;
  for (const double fraction : fractions_of_paper)
    for (const Rank processes : numbers) {
      const Cell cell = run_cell(paper, named_scheme("hash"), fraction, processes, 1, costs);
      sum += std::pow(std::log(cell.ours.seconds / cell.paper->seconds), 2);
    }
  return std::sqrt(sum / static_cast<double>(fractions_of_paper.size() * numbers.size()));
}

const char* name_of(helper::groups::tree::EnrolmentMessage::EnrolmentKind kind) {
  static constexpr std::array names{"roster", "part",     "report",       "relocation",  "descent",
                                    "order",  "delivery", "registration", "introduction"};
  return names[static_cast<std::size_t>(kind)];
}

} // namespace

Cell run_cell(const Paper& paper, const NamedScheme& scheme, double fraction, Rank processes,
              double list_cost, const model::Costs& costs) {
  const Rank participants = paper.participants(fraction, processes);
  return {&scheme, fraction, processes,
          model::enrol(costs, draw_participants(participants, processes), scheme.scheme, list_cost),
          paper.find(scheme, fraction, processes)};
}

model::Costs fit(const Paper& paper) {
  // `way` is the time of a message, which dominates; `overhead` is a part of it.
  double way = 12e-6, overhead = 3e-6;
  const auto costs = [&] {
    model::Costs made = model::blue_gene;
    made.latency = way - 2 * overhead;
    made.send_overhead = made.receive_overhead = overhead;
    return made;
  };
  double best = misfit(paper, costs());
  for (double change = 1.2; change > 1.004; change = std::sqrt(change)) {
    for (double* const constant : {&way, &overhead})
      for (const double factor : {change, 1 / change})
        for (double before = *constant;; before = *constant) {
          *constant *= factor;
          const double now = misfit(paper, costs());
          if (now >= best) {
            *constant = before;
            break;
          }
          best = now;
        }
    fmt::print(stderr, "fit: hash column: {:.2f} % from the paper's\n", best * 100);
  }
  return costs();
}

std::vector<Cell> run_list_cost(const Paper& paper, double cost, Rank processes) {
  std::vector<Cell> cells;
  for (const double fraction : fractions_of_paper)
    for (const char* scheme : {"hash", "hash-child", "hash-leaf", "balance"})
      cells.push_back(run_cell(paper, named_scheme(scheme), fraction, processes, cost));
  return cells;
}

Json run_traced(const NamedScheme& scheme, Rank processes) {
  Json trace = Json::array();
  const auto add = [&](const model::Busy& busy) {
    trace.push_back({{"process", busy.process},
                     {"since", busy.since},
                     {"until", busy.until},
                     {"kind", busy.kind ? name_of(*busy.kind) : ""}});
  };
  model::enrol(model::blue_gene, draw_participants(processes / 2, processes), scheme.scheme, 1, add);
  return trace;
}

} // namespace bench
