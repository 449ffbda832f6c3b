// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "settings/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace helper::settings {

namespace {

/// Reads a whole number in [low, high]. Throws std::invalid_argument with the range, then `else_accepted`.
long long number(const std::string& text, long long low, long long high, const char* else_accepted = "") {
  long long value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end && value >= low && value <= high) return value;
  throw std::invalid_argument("a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
                              else_accepted);
}

/// Returns `bytes` as text, with the largest suffix that gives a whole number.
std::string with_suffix(std::size_t bytes) {
  constexpr const char* suffixes[] = {"", "K", "M", "G"};
  std::size_t unit = 0;
  while (unit + 1 < std::size(suffixes) && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + suffixes[unit];
}

/// Returns a number of bytes in [low, high]. Suffixes K, M and G, or KiB, MiB and GiB, are powers of 1024.
std::size_t bytes(const std::string& text, std::size_t low, std::size_t high) {
  std::string digits = text;
  int shift = 0;
  for (const std::string_view unit : {"KiB", "MiB", "GiB"}) {
    if (digits.ends_with(unit)) digits.resize(digits.size() - 2);
  }
  if (!digits.empty()) {
    if (digits.back() == 'K') shift = 10;
    if (digits.back() == 'M') shift = 20;
    if (digits.back() == 'G') shift = 30;
    if (shift != 0) digits.pop_back();
  }
  try {
    const auto value =
        static_cast<std::size_t>(number(digits, 0, std::numeric_limits<long long>::max() >> shift)) << shift;
    if (value >= low && value <= high) return value;
  } catch (const std::invalid_argument&) {
    // The exception below, whose text has the bounds in bytes, replaces this one.
  }
  throw std::invalid_argument("a number of bytes from " + with_suffix(low) + " to " + with_suffix(high) +
                              ", with suffix K, M or G (KiB, MiB, GiB) if you like");
}

/// Returns whether the text is the first of the two, or throws std::invalid_argument if it is neither.
bool is_first(const std::string& text, const std::string& first, const std::string& second) {
  if (text != first && text != second) throw std::invalid_argument(first + " or " + second);
  return text == first;
}

constexpr std::size_t KiB = 1024;
constexpr std::size_t GiB = KiB * KiB * KiB;

// Functions for Variable::assign.

template <std::string Settings::*member>
void keep(Settings& settings, const std::string& text) {
  settings.*member = text;
}
template <auto member, long long low, long long high>
void set_number(Settings& settings, const std::string& text) {
  using Value = std::remove_reference_t<decltype(settings.*member)>;
  settings.*member = static_cast<Value>(number(text, low, high));
}
template <bool Settings::*member>
void set_switch(Settings& settings, const std::string& text) {
  const bool is_on = text == "1" || text == "on" || text == "yes";
  if (!is_on && text != "0" && text != "off" && text != "no")
    throw std::invalid_argument("0 or 1, off or on, no or yes");
  settings.*member = is_on;
}
template <std::size_t Settings::*member, std::size_t low, std::size_t high>
void set_bytes(Settings& settings, const std::string& text) {
  settings.*member = bytes(text, low, high) / 16 * 16; // see MPIX_Helper_pack_function
}

// Values of Variable::purpose. The page of the settings groups the settings by purpose.
constexpr const char* mode = "Mode";
constexpr const char* placement = "Placement and waiting";
constexpr const char* memory = "Memory";
constexpr const char* algorithms = "Algorithms";
constexpr const char* output = "Output";

constexpr Variable all[] = {
    {"MPI_HELPER_THREADS", mode, "0", "threads, or openmp",
     [](Settings& settings, const std::string& text) {
       settings.openmp = text == "openmp";
       settings.threads = settings.openmp ? 1 : static_cast<int>(number(text, 0, 4096, ", or openmp"));
     },
     "Transparent mode: the number of threads in the team of each process, the caller included. The "
     "library starts the others, and every MPI call of the program uses the team. 0: off. openmp: OpenMP "
     "mode. The OpenMP threads of the program help, and the library starts none if the program has an "
     "OpenMP runtime."},
    {"MPI_HELPER_ANNOUNCE", mode, "auto", "auto or off",
     [](Settings& settings, const std::string& text) { settings.announce = is_first(text, "auto", "off"); },
     "off: MPI handles all messages from and to this process. Set it for programs in which some threads "
     "receive messages past the library."},
    {"MPI_HELPER_USER_OPERATIONS", mode, "caller", "caller or team",
     [](Settings& settings, const std::string& text) {
       settings.user_operations_by_team = !is_first(text, "caller", "team");
     },
     "Which threads run functions of MPI_Op_create. caller: the thread that called MPI. team: all "
     "members of its team. Only set it for functions that are thread-safe, call no MPI and always "
     "return."},
    {"MPI_HELPER_PLACEMENT", placement, "none", "none, compact, scatter, numa or a cpuset list such as 0-3,8",
     keep<&Settings::placement>,
     "Cores to which the members of a team are bound, from the creation to the release of their handles. "
     "In transparent mode only threads of the library are bound. A thread that is bound already, such as "
     "by OMP_PROC_BIND or OMP_PLACES, stays where it is."},
    {"MPI_HELPER_SPIN", placement, "auto", "microseconds, or auto",
     [](Settings& settings, const std::string& text) {
       settings.spin.reset();
       if (text != "auto")
         settings.spin = std::chrono::microseconds(number(text, 0, 1000000000, ", or auto"));
     },
     "How long an idle member spins before it sleeps. auto: 100, or 0 while the node is oversubscribed. "
     "With 0, threads that wait in MPI also sleep between polls, which saves CPU time where it is "
     "rationed. Otherwise they keep spinning while other programs compete for the cores."},
    {"MPI_HELPER_STAGING", memory, "10M", "bytes", set_bytes<&Settings::staging, 64 * KiB, 64 * GiB>,
     "Buffer memory of each process."},
    {"MPI_HELPER_ARENA", memory, "64M", "bytes", set_bytes<&Settings::arena, 0, 64 * GiB>,
     "Upper limit of the memory that the ranks of a node share, all of them together. Each rank gets an "
     "equal part: at most half of MPI_HELPER_STAGING plus 3 MiB. The library leaves half of the free "
     "memory to others."},
    {"MPI_HELPER_CHUNK", memory, "512K", "bytes", set_bytes<&Settings::chunk, KiB, GiB>,
     "Size of the chunks into which large messages are cut, rounded down to a multiple of 16. A "
     "communicator uses the smallest value of its ranks."},
    {"MPI_HELPER_ALGORITHM", algorithms, "auto",
     "auto, or a list such as bcast=pipelined_tree,allreduce=native", keep<&Settings::algorithm>,
     "Algorithms of collective operations, used wherever they can carry the call. auto: chosen by size "
     "and ranks. native: MPI does the operation. The value of rank 0 holds for all ranks.",
     true},
    {"MPI_HELPER_TUNE", algorithms, "off", "off, or a file", keep<&Settings::tune>,
     "A file as bench/run --tune writes it, with size limits of algorithms or costs of messages between "
     "nodes. off: the costs of the most similar of five networks, found with a few messages at the "
     "start. The value of rank 0 holds for all ranks.",
     true},
    {"MPI_HELPER_GROUP_ALGORITHM", algorithms, "auto", "auto, direct, recursive or multiway",
     keep<&Settings::group_algorithm>,
     "Algorithm of MPIX_Group_comm_create, unless its info sets one. auto: multiway if any node has more "
     "processes than cores, otherwise direct. All ranks need the same value."},
    {"MPI_HELPER_GROUP_OUTSIDER", algorithms, "null", "null or error", keep<&Settings::group_outsider>,
     "Result of MPIX_Group_comm_create for a caller outside of the group. null: MPI_COMM_NULL. error: "
     "MPI_COMM_NULL and an error."},
    {"MPI_HELPER_STATS", output, "0", "0 or 1", set_switch<&Settings::stats>,
     "Print a table of calls, times and chunks on standard error, in MPI_Finalize. The value of rank 0 "
     "holds for all ranks.",
     true},
    {"MPI_HELPER_TRACE", output, "off", "off, or a file", keep<&Settings::trace>,
     "Write a timeline to this file in MPI_Finalize, for Perfetto or chrome://tracing. The value of rank "
     "0 holds for all ranks.",
     true},
    {"MPI_HELPER_TRACE_SPANS", output, "65536", "spans", set_number<&Settings::trace_spans, 1, 1000000000>,
     "How many spans the timeline keeps of each member: the last ones, 48 bytes each. The value of rank "
     "0 holds for all ranks.",
     true},
    {"MPI_HELPER_ADVICE", output, "0", "0 or 1", set_switch<&Settings::advice>,
     "Leave all calls to MPI, measure them, and print in MPI_Finalize what a team would save. mpi_helper "
     "advise sets it. All ranks need the same value."},
    {"MPI_HELPER_REPORT", output, "0", "0 or 1", set_switch<&Settings::report>,
     "Print settings, placement and bindings on standard error."},
    {"MPI_HELPER_STALL_REPORT", output, "60", "seconds", set_number<&Settings::stall_report, 0, 1000000>,
     "After this many seconds of waiting, print the operation and the ranks waited for. By default that "
     "is printed once per node, and not for LEAVE and FENCE, where idle threads wait. 0: off."},
};

bool is_setting(std::string_view name) {
  return std::ranges::any_of(all, [name](const Variable& variable) { return name == variable.name; });
}

/// Returns whether the names differ by at most one slip, as meant_by() defines it.
bool are_alike(std::string_view one, std::string_view other) {
  const auto shorter = std::min(one.size(), other.size());
  const auto begin = std::ranges::mismatch(one, other).in1 - one.begin();
  const auto end = std::mismatch(one.rbegin(), one.rend(), other.rbegin(), other.rend()).first - one.rbegin();
  const auto common = std::min(static_cast<std::size_t>(begin + end), shorter);
  if (std::max(one.size(), other.size()) <= common + 1) return true;
  const auto first = static_cast<std::size_t>(begin);
  return one.size() == other.size() && common + 2 == one.size() && one[first] == other[first + 1] &&
         one[first + 1] == other[first];
}

/// Throws std::invalid_argument if a name looks like a misspelt setting.
void check_names(const Environment& environment) {
  for (const auto& [name, text] : environment) {
    if (is_setting(name)) continue;
    if (const Variable* const meant = meant_by(name))
      throw std::invalid_argument(name + "=" + text + ": no such setting; did you mean " + meant->name + "?");
  }
}

} // namespace

std::span<const Variable> variables() {
  return all;
}

const Variable* meant_by(std::string_view name) {
  const auto* const meant =
      std::ranges::find_if(all, [name](const Variable& variable) { return are_alike(name, variable.name); });
  return meant != std::end(all) ? meant : nullptr;
}

Environment environment() {
  Environment found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (text.starts_with("MPI_HELPER_") && equals != text.npos)
      found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

int rank_by_launcher() noexcept {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* const rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

Settings read(const Environment& environment) {
  check_names(environment);
  Settings settings{};
  for (const Variable& variable : all) {
    parsed(variable.name, text(variable, environment),
           [&](const std::string& set) { variable.assign(settings, set); });
  }
  settings.stall_report_is_set = environment.contains("MPI_HELPER_STALL_REPORT");
  if (settings.advice) { // nothing else shall be recorded
    settings.threads = 0;
    settings.stats = false;
    settings.trace = "off";
  }
  return settings;
}

std::vector<std::string> unknown_names(const Environment& environment) {
  constexpr std::string_view of_others[] = {"ROOT", "DIR", "HOME",    "PREFIX", "BASE",   "PATH",
                                            "LIB",  "INC", "INCLUDE", "BIN",    "VERSION"};
  constexpr std::string_view begin = "MPI_HELPER_";
  std::vector<std::string> names;
  for (const auto& [name, text] : environment) {
    const auto rest = std::string_view(name).substr(begin.size());
    if (!is_setting(name) && std::ranges::find(of_others, rest) == std::end(of_others)) names.push_back(name);
  }
  return names;
}

std::string text(const Variable& variable, const Environment& environment) {
  const auto set = environment.find(variable.name);
  return set != environment.end() ? set->second : variable.fallback;
}

std::vector<std::string> describe(const Environment& environment) {
  std::vector<std::string> lines;
  for (const Variable& variable : all) {
    lines.push_back(std::string(variable.name) + "=" + text(variable, environment) +
                    (environment.contains(variable.name) ? " (environment)" : " (default)"));
  }
  for (const auto& [name, text] : environment)
    if (!is_setting(name)) lines.push_back(name + "=" + text + " (no setting)");
  return lines;
}

} // namespace helper::settings
