// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "advice/lateness.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace helper::advice {

namespace {

/// The stays of all ranks in one operation.
using Stays = std::vector<std::pair<std::size_t, Stay>>;

void add_visits(const Stays& visits, Lateness& sums) {
  const auto last = std::ranges::max_element(visits, {}, [](const auto& each) { return each.second.enter; });
  for (const auto& [rank, visit] : visits) {
    const double spent = static_cast<double>(visit.exit - visit.enter) * 1e-9;
    const double waited = std::min(spent, static_cast<double>(last->second.enter - visit.enter) * 1e-9);
    sums.spent[rank] += spent;
    sums.waited[rank] += waited;
    sums.blamed[last->first] += waited;
  }
}

} // namespace

Lateness lateness(const std::vector<std::vector<Stay>>& by_rank) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, Stays> operations;
  Lateness sums;
  for (auto* const values : {&sums.waited, &sums.spent, &sums.blamed}) values->resize(by_rank.size());
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    for (const Stay& visit : by_rank[rank]) operations[{visit.group, visit.number}].emplace_back(rank, visit);
  for (const auto& [number, visits] : operations)
    if (std::ssize(visits) == visits.front().second.ranks) add_visits(visits, sums);
  return sums;
}

} // namespace helper::advice
