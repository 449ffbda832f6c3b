// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/statistics.hpp"
#include "machine.hpp"
#include "modelled.hpp"
#include "settings.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// One way to perform an operation: by native MPI, by another MPI, or in a phase of a team.
struct Variant {
  int team = 0;                ///< members; 0 is outside of any phase
  bool oversubscribed = false; ///< the teams of a node have more members than it has processing units

  int peer = -1;           ///< which of the other MPIs; -1: this one
  std::string peer_name{}; ///< known to the first rank

  bool native() const { return team == 0; }
  std::string name() const;
};

/// What was measured for one operation and message size.
struct Point {
  std::size_t bytes;
  std::vector<int> calls;                        ///< per sample, one entry per variant
  int repetitions;                               ///< samples of every variant
  std::vector<Quantiles> seconds;                ///< per call, one entry per variant
  std::vector<std::optional<Modelled>> modelled; ///< one entry per variant

  double bandwidth(std::size_t variant) const { return static_cast<double>(bytes) / seconds[variant].median; }
  double speedup(std::size_t variant) const { return seconds[0].median / seconds[variant].median; }
  /// What was measured over what was modelled.
  double over_model(std::size_t variant) const {
    return seconds[variant].median / modelled[variant]->seconds;
  }
};

struct Series {
  Operation operation;
  std::vector<Point> points;
};

/// Everything about one run. `variants[0]` is native MPI.
struct Report {
  Settings settings;
  Machine machine;
  std::vector<Variant> variants;
  std::vector<Series> series;
};

void print_table(const Report& report, const Series& series);

/// How far the model of costs is from what was measured, if it has a say.
void print_agreement(const Report& report);

void write_json(const Report& report, const std::string& file);

} // namespace bench
