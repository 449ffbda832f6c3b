// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace mcmc {
namespace {

/// What a line of the table begins with.
std::string key(const Balancing& balancing) {
  switch (balancing.kind) {
  case Balancing::Kind::none:
    return "none,,";
  case Balancing::Kind::asynchronous:
    return "async,,";
  case Balancing::Kind::prompt:
    break; // is not in the paper
  case Balancing::Kind::collective:
    return fmt::format("collective,{},", balancing.interval);
  }
  return "-";
}

std::string in_paper(const Balancing& balancing, const std::string& table) {
  std::ifstream in(table);
  if (!in) throw std::runtime_error("cannot read " + table);
  const std::string begin = key(balancing);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(begin)) return line.substr(begin.size());
  return "";
}

} // namespace

Json json_of(const Result& result, const std::string& table) {
  const auto& [workload, balancing, outcome] = result;
  const Spread spread = spread_of(outcome.regroupings);
  Json json{{"processes", workload.processes},
            {"threads", workload.threads},
            {"balancing", result.name()},
            {"seconds", outcome.seconds},
            {"seconds_to_end", outcome.seconds_to_end},
            {"ideal_seconds", workload.ideal_seconds()},
            {"regroupings",
             {{"mean", spread.mean},
              {"deviation", spread.deviation},
              {"least", spread.least},
              {"most", spread.most}}}};
  if (const std::string paper = in_paper(balancing, table); !paper.empty()) json["paper regroupings"] = paper;
  return json;
}

} // namespace mcmc
