// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/notices.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "process/process.hpp"
#include "process/state.hpp"
#include "ranks/world.hpp"
#include "shm/node_context.hpp"

namespace helper::process {

using settings::Environment;

namespace {

/// Returns "NAME=text" of a setting in the environment.
std::string as_set(const Environment& environment, const char* name) {
  return std::string(name) + "=" + environment.find(name)->second;
}

/// Returns rank 0's text at all ranks. Collective over all processes.
std::string of_rank_0(std::string text) {
  const MPI_Comm all = ranks::world::comm();
  auto length = static_cast<int>(text.size());
  PMPI_Bcast(&length, 1, MPI_INT, 0, all);
  text.resize(static_cast<std::size_t>(length));
  PMPI_Bcast(text.data(), length, MPI_CHAR, 0, all);
  return text;
}

/// Appends `text` to a comma-separated list.
void append(std::string& list, const std::string& text) {
  list += (list.empty() ? "" : ", ") + text;
}

void say_unknown_names(const Environment& environment) {
  std::string names;
  for (const std::string& name : settings::unknown_names(environment)) append(names, name);
  if (!names.empty()) print("no such setting: " + names + "; mpi_helper info --settings lists them");
}

/// Prints this process's settings that rank 0's settings replace. Collective over all processes.
void say_differing_from_rank_0(const Environment& environment, int rank) {
  for (const settings::Variable& variable : settings::variables()) {
    if (!variable.is_of_rank_0) continue;
    const std::string own = settings::text(variable, environment);
    const std::string first = of_rank_0(own);
    if (own != first && environment.contains(variable.name))
      print_once_on_node(Notice::differs_from_rank_0,
                         "rank " + std::to_string(rank) + ": " + as_set(environment, variable.name) +
                             " is not followed: rank 0's, " + first + ", holds for all");
  }
}

/// Prints the rows of the file in MPI_HELPER_TUNE that are never chosen.
void say_unused_rows(const settings::Settings& settings, std::span<const collective::Row> rows) {
  std::string unused;
  for (const collective::Row& row : collective::never_chosen(rows)) append(unused, collective::text(row));
  if (!unused.empty())
    print_once_on_node(Notice::unused_rows, "MPI_HELPER_TUNE=" + settings.tune +
                                                ": rows that others before them leave nothing to: " + unused);
}

} // namespace

void print_once_on_node(Notice notice, const std::string& text) {
  if (shm::node_state().first_to_report(static_cast<std::uint64_t>(notice))) print(text);
}

void say_what_is_not_followed(const State& starting, std::size_t chunk, int least_threads) {
  const Environment environment = settings::environment();
  const settings::Settings& set = starting.settings;
  if (starting.rank == 0) say_unknown_names(environment);
  say_differing_from_rank_0(environment, starting.rank);
  if (set.threads > 0 && least_threads == 0)
    print_once_on_node(Notice::transparent_mode_off,
                       "MPI_HELPER_THREADS is not followed: it is 0, or not set, at some process, and all "
                       "have to ask for transparent mode");
  if (chunk < set.chunk && environment.contains("MPI_HELPER_CHUNK"))
    print_once_on_node(Notice::small_chunk, as_set(environment, "MPI_HELPER_CHUNK") +
                                                " is not followed: chunks have " +
                                                std::to_string(chunk / 1024) +
                                                " KiB, as MPI_HELPER_STAGING and MPI_HELPER_ARENA have no "
                                                "room for larger ones");
  if (set.trace == "off" && environment.contains("MPI_HELPER_TRACE_SPANS"))
    print_once_on_node(
        Notice::unused_spans,
        as_set(environment, "MPI_HELPER_TRACE_SPANS") +
            " is not followed: MPI_HELPER_TRACE, which names the file of the timeline, is not set");
  if (starting.rank == 0) say_unused_rows(set, starting.tuned.rows);
}

void say_if_arena_is_small(const Environment& environment, std::size_t shared, std::size_t part) {
  if (shared < part && environment.contains("MPI_HELPER_ARENA"))
    print_once_on_node(Notice::small_arena,
                       as_set(environment, "MPI_HELPER_ARENA") + " is not followed: each process shares " +
                           std::to_string(shared / 1024) + " KiB and not " + std::to_string(part / 1024) +
                           ", since the node has no more memory to share");
}

void say_if_threads_are_few(std::size_t started, std::size_t wanted, const std::string& why) {
  if (started < wanted)
    print_once_on_node(Notice::few_threads, "MPI_HELPER_THREADS is not followed: the library has started " +
                                                std::to_string(started) + " of " + std::to_string(wanted) +
                                                " threads: " + why);
}

void say_unread_keys(const char* function, MPI_Info info, std::span<const char* const> read) {
  if (info == MPI_INFO_NULL) return;
  std::string unread;
  int count = 0;
  PMPI_Info_get_nkeys(info, &count);
  for (int i = 0; i < count; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    PMPI_Info_get_nthkey(info, i, key.data());
    const std::string_view name = key.data();
    if (name.starts_with("mpi_helper_") && std::ranges::find(read, name) == read.end())
      append(unread, std::string(name));
  }
  if (unread.empty()) return;
  std::string known;
  for (const char* const key : read) append(known, key);
  print_once_on_node(Notice::unread_keys,
                     std::string(function) + " does not read the info key " + unread + ", but " + known);
}

void say_if_key_is_unused(const char* function, MPI_Info info, const char* key, const char* use) {
  if (info == MPI_INFO_NULL) return;
  int length = 0;
  int is_set = 0;
  PMPI_Info_get_valuelen(info, key, &length, &is_set);
  if (is_set != 0)
    print_once_on_node(Notice::unused_key, std::string(function) + " does not follow the info key " + key +
                                               ", which is for " + use);
}

} // namespace helper::process
