// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include "common/output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
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

nlohmann::ordered_json lifetimes(const std::vector<Lifetime>& groups) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [first, last, since, worked_until, until] : groups)
    json.push_back({{"first", first},
                    {"last", last},
                    {"since", since},
                    {"worked_until", worked_until},
                    {"until", until}});
  return json;
}

} // namespace

void print_head() {
  fmt::print("{:>9} {:20} {:>8} {:>8} {:>8} | {:>26} | {}\n", "processes", "balancing", "s", "x ideal",
             "to end s", "mean,dev,min,max regrouped", "paper's");
}

void print_line(const Result& result, const std::string& table) {
  const auto& [workload, balancing, outcome, groups] = result;
  const Spread regroupings = spread(outcome.regroupings);
  fmt::print("{:9} {:20} {:8.3f} {:8.3f} {:8.3f} | {:>26} | {}\n", workload.processes, result.name(),
             outcome.seconds, outcome.seconds / workload.ideal_seconds(), outcome.seconds_to_end,
             fmt::format("{:.2f},{:.2f},{},{}", regroupings.mean, regroupings.deviation, regroupings.least,
                         regroupings.most),
             in_paper(balancing, table));
  std::fflush(stdout);
}

void write_json(const std::vector<Result>& results, const std::string& file) {
  auto json = nlohmann::ordered_json::array();
  for (const Result& result : results) {
    const auto& [workload, balancing, outcome, groups] = result;
    const Spread regroupings = spread(outcome.regroupings);
    json.push_back({{"processes", workload.processes},
                    {"threads", workload.threads},
                    {"balancing", result.name()},
                    {"seconds", outcome.seconds},
                    {"seconds_to_end", outcome.seconds_to_end},
                    {"ideal_seconds", workload.ideal_seconds()},
                    {"regroupings",
                     {{"mean", regroupings.mean},
                      {"deviation", regroupings.deviation},
                      {"least", regroupings.least},
                      {"most", regroupings.most}}},
                    {"groups", lifetimes(groups)}});
  }
  bench::write_json(json, file);
}

} // namespace mcmc
