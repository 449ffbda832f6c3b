// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace bench::report {

/// A way to do something, and how long it took.
struct Timed {
  std::string name;
  bool team;
  double seconds;
};

/// The ways of a point that `throughput` has measured, and of one that `transfers` has.
std::vector<Timed> timed_collective(const nlohmann::json& point);
std::vector<Timed> timed_transfer(const nlohmann::json& point, const nlohmann::json& variants);

/// The first team among them, which has to be there.
const Timed& first_team(const std::vector<Timed>& ways);

/// How many times as fast a team is as the fastest native MPI among the ways.
double gain(const Timed& team, const std::vector<Timed>& ways);

/// The median of `way` for `what` among the lines that `groups` leaves, in microseconds. Throws
/// std::runtime_error if it is not there.
double median_of(const nlohmann::json& lines, const std::string& what, const std::string& way);

/// A size that `groups` has reduced by a team on a system-ranked group.
struct GroupReduction {
  std::string team;
  std::size_t bytes;
  double ratio; ///< MPI_Allreduce's time over the group's
};

/// Those among the lines that `groups` leaves, each team's together.
std::vector<GroupReduction> group_reductions(const nlohmann::json& lines);

/// How a program of others ran with the library preloaded, and natively, as `programs` has it.
struct Preloaded {
  int threads;
  nlohmann::json native, library;
  double ratio; ///< the native time over the library's
};

std::vector<Preloaded> preloaded_runs(const nlohmann::json& program);

/// MPI's name of an operation that `throughput` has measured, and what of, if that does not lie densely.
std::string function_name(const std::string& operation);

} // namespace bench::report
