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

/// Reads what the user sets by environment variables. All of them are declared in settings.cpp and nowhere
/// else.
namespace helper::settings {

struct Settings {
  int threads;                                   ///< MPI_HELPER_THREADS; 1 for "openmp"
  bool openmp;                                   ///< MPI_HELPER_THREADS is "openmp"
  std::string placement;                         ///< MPI_HELPER_PLACEMENT
  std::optional<std::chrono::microseconds> spin; ///< MPI_HELPER_SPIN; empty: by what the node has room for
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

/// Describes one environment variable, for whatever documents or prints them.
struct Variable {
  const char* name;
  const char* purpose;  ///< under which it is documented; those of one purpose follow one another
  const char* fallback; ///< the value it has when unset
  const char* unit;     ///< what the value is: a unit, or the accepted words
  void (*assign)(Settings&,
                 const std::string& text); ///< throws std::invalid_argument, saying what is accepted
  const char* meaning;
  bool is_of_rank_0 = false; ///< that of rank 0 holds for all
};

std::span<const Variable> variables();

/// Returns the setting whose name differs from this one by a slip: one character more, less or other, or two
/// that are swapped. Returns nullptr if there is none.
const Variable* meant_by(std::string_view name);

/// Holds the environment variables that begin with MPI_HELPER_, by name; those that are none of the above may
/// be somebody else's.
using Environment = std::map<std::string, std::string, std::less<>>;

/// Returns the environment of this process.
Environment environment();

/// Returns the rank that a launcher has given this process, by its environment; 0 if none has.
int rank_by_launcher() noexcept;

/// Returns the settings of an environment. Throws std::invalid_argument naming the variable, its value and
/// what is accepted, also where a name is that of a setting with a slip.
Settings read(const Environment& environment);

/// Returns the names that begin with MPI_HELPER_ and are no settings, without those that environment modules
/// and CMake use, such as MPI_HELPER_ROOT.
std::vector<std::string> unknown_names(const Environment& environment);

/// Returns the text that `variable` has in an environment, its fallback if it is not set there.
std::string text(const Variable& variable, const Environment& environment);

/// Returns, for a person, a line for each setting, with its value and whether that is the default, and for
/// each variable that is no setting.
std::vector<std::string> describe(const Environment& environment);

/// Returns what `parse` makes of the text of a variable. Where it throws std::invalid_argument, which says
/// what is accepted, this throws the same with the variable's name and text.
template <class Parse>
auto parsed(const std::string& name, const std::string& text, const Parse& parse) {
  try {
    return parse(text);
  } catch (const std::invalid_argument& accepted) {
    throw std::invalid_argument(name + "=" + text + ": expected " + accepted.what());
  }
}

} // namespace helper::settings
