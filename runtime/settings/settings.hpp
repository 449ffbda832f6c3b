// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Reads the settings that the user makes with environment variables. settings.cpp declares all of them.
namespace helper::settings {

struct Settings {
  int threads;                                   ///< MPI_HELPER_THREADS; 1 for "openmp"
  bool openmp;                                   ///< MPI_HELPER_THREADS is "openmp"
  std::string placement;                         ///< MPI_HELPER_PLACEMENT
  std::optional<std::chrono::microseconds> spin; ///< MPI_HELPER_SPIN; empty: depends on oversubscription
  std::size_t staging;                           ///< MPI_HELPER_STAGING, in bytes
  std::size_t arena;                             ///< MPI_HELPER_ARENA, in bytes, of a node
  std::size_t chunk;                             ///< MPI_HELPER_CHUNK, in bytes
  std::string algorithm;                         ///< MPI_HELPER_ALGORITHM
  std::string group_algorithm;                   ///< MPI_HELPER_GROUP_ALGORITHM
  std::string group_outsider;                    ///< MPI_HELPER_GROUP_OUTSIDER
  bool announce;                                 ///< MPI_HELPER_ANNOUNCE
  bool user_operations_by_team;                  ///< MPI_HELPER_USER_OPERATIONS is "team"
  std::string tune;                              ///< MPI_HELPER_TUNE; a file, or "off"
  std::chrono::seconds stall_report;             ///< MPI_HELPER_STALL_REPORT; zero: off
  bool stall_report_is_set;                      ///< by the user
  bool stats;                                    ///< MPI_HELPER_STATS
  std::string trace;                             ///< MPI_HELPER_TRACE; a file, or "off"
  std::size_t trace_spans;                       ///< MPI_HELPER_TRACE_SPANS
  bool advice;                                   ///< MPI_HELPER_ADVICE
  bool report;                                   ///< MPI_HELPER_REPORT
};

/// Describes one environment variable, for code that documents or prints it.
struct Variable {
  const char* name;
  const char* purpose;  ///< under which it is documented; settings of one purpose are adjacent
  const char* fallback; ///< the value it has when unset
  const char* unit;     ///< what the value is: a unit, or the accepted words
  void (*assign)(Settings&,
                 const std::string& text); ///< throws std::invalid_argument with what is accepted
  const char* meaning;
  bool is_of_rank_0 = false; ///< rank 0's value applies to all ranks
};

std::span<const Variable> variables();

/// Returns the setting whose name differs from `name` by one slip: a character added, left out or replaced,
/// or two characters swapped. Returns nullptr if there is no such setting.
const Variable* meant_by(std::string_view name);

/// The environment variables that begin with MPI_HELPER_, by name. Variables that are no settings may belong
/// to other software.
using Environment = std::map<std::string, std::string, std::less<>>;

Environment environment();

/// Returns the rank that a launcher has given this process, from the environment; 0 if unknown.
int rank_by_launcher() noexcept;

/// Returns the settings of an environment. Throws std::invalid_argument that names the variable, its value
/// and what is accepted. It also throws if a name is a misspelt setting.
Settings read(const Environment& environment);

/// Returns the names that begin with MPI_HELPER_ and are no settings, except those that environment modules
/// and CMake use, such as MPI_HELPER_ROOT.
std::vector<std::string> unknown_names(const Environment& environment);

/// Returns the value of `variable` in an environment as text; its default if it is not set.
std::string text(const Variable& variable, const Environment& environment);

/// Returns, for a person, a line for each setting with its value and whether that is the default, and a line
/// for each variable that is no setting.
std::vector<std::string> describe(const Environment& environment);

/// Returns `parse` of the text of a variable. If `parse` throws std::invalid_argument, this adds the
/// variable's name and text to the message.
template <class Parse>
auto parsed(const std::string& name, const std::string& text, const Parse& parse) {
  try {
    return parse(text);
  } catch (const std::invalid_argument& accepted) {
    throw std::invalid_argument(name + "=" + text + ": expected " + accepted.what());
  }
}

} // namespace helper::settings
