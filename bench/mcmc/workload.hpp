// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/bench.hpp"
#include "leader.hpp"

namespace mcmc {

/// The paper's workload. Initial groups have `group` processes. The group whose leader is rank R has 10 (R
/// mod 32) items. An item takes a group `milliseconds` divided by its number of processes.
struct Workload {
  int processes = 32;
  int group = 4;
  double milliseconds = 100;
  int threads = 0;       ///< computing threads of each process; 0: it sleeps as if it had one thread
  int slower = 1;        ///< threads sleep for most of an item's time, like on cores this many times slower
  bool teams = false;    ///< whether the threads of a process are a team
  std::size_t found = 1; ///< numbers that each computing thread finds in an item; its group sums them

  int groups() const { return processes / group; }
  double items(int number) const { return 10 * (number * group % 32); }
  std::vector<Group> first_groups() const {
    std::vector<Group> made;
    for (int number = 0; number < groups(); ++number) made.push_back({number, number, items(number)});
    return made;
  }
  /// Assumes a core for each thread.
  double item_seconds(const Group& of) const {
    return milliseconds / 1000 / (of.size() * group * std::max(1, threads));
  }
  double ideal_seconds() const {
    double items_of_all = 0;
    for (int number = 0; number < groups(); ++number) items_of_all += items(number);
    return items_of_all * milliseconds / 1000 / (processes * std::max(1, threads));
  }
};

/// How load is balanced.
struct Balancing {
  enum class Kind {
    none,
    asynchronous, ///< leaders agree on merges at the ends of items
    prompt,       ///< merges at any time, so that current items are split; not in the paper
    collective    ///< all processes regroup together, every `interval` items
  } kind;
  int interval = 0;

  std::string name() const {
    constexpr std::array names{"none", "asynchronous", "prompt", "collective"};
    const std::string own = names[static_cast<std::size_t>(kind)];
    return kind == Kind::collective ? own + " " + std::to_string(interval) : own;
  }
};

/// What came of it.
struct Outcome {
  double seconds = 0;           ///< until the last item was done
  std::vector<int> regroupings; ///< of each first-made group's processes
};

/// Returns the mean, deviation, least and most of the numbers of regroupings.
inline bench::Json spread_of(const std::vector<int>& counts) {
  const auto number = static_cast<double>(counts.size());
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / number;
  const double squares = std::inner_product(counts.begin(), counts.end(), counts.begin(), 0.0);
  return {{"mean", mean},
          {"deviation", std::sqrt(std::max(0.0, squares / number - mean * mean))},
          {"least", std::ranges::min(counts)},
          {"most", std::ranges::max(counts)}};
}

/// Returns the groups after all have regrouped together: adjacent idle groups and the group to their right
/// become one.
inline std::vector<Group> regroup(const std::vector<Group>& groups) {
  std::vector<Group> regrouped;
  for (const Group& group : groups) {
    if (!regrouped.empty() && regrouped.back().items <= 0)
      regrouped.back() = {regrouped.back().first, group.last, group.items};
    else
      regrouped.push_back(group);
  }
  return regrouped;
}

/// One run.
struct Result {
  Workload workload;
  Balancing balancing;
  Outcome outcome;

  std::string name() const { return balancing.name() + (workload.teams ? " teams" : ""); }
};

/// A line of the results.
inline bench::Json json_of(const Result& result) {
  const auto& [workload, balancing, outcome] = result;
  return {{"processes", workload.processes},
          {"threads", workload.threads},
          {"balancing", result.name()},
          {"seconds", outcome.seconds},
          {"ideal_seconds", workload.ideal_seconds()},
          {"regroupings", spread_of(outcome.regroupings)}};
}

} // namespace mcmc
