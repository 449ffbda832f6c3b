// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "settings/settings.hpp"

/// What the library prints of its own accord.
namespace helper::process {

// The library may do nothing although the user asked it to. Then one process of the job prints why, once.

enum class Why {
  not_yet,    ///< it may still begin
  late,       ///< a session has been opened after MPI_Init
  incomplete, ///< not all processes have the library
  versions,   ///< all have the library, in several versions
  failed,     ///< the library cannot begin in some process
  not_first   ///< in some process, a communicator or a team preceded the first communicator of all processes
};

/// Records why the library does nothing, unless a reason has been recorded before. Then calls say_why_idle().
/// The reason `late` may hold for this process alone. Only a thread within an MPI function calls it.
void stay_idle(Why why);

/// Prints why the library does nothing, if this process has a team, or is_asked(). Any thread may call it.
void say_why_idle();

/// Prints, if is_asked(), that the program has initialised MPI through functions that the library does not
/// replace. Called within MPI functions, and when the process ends.
void say_if_unseen() noexcept;

/// Returns whether a setting asks the library to act by itself, or is malformed, which start_alone() reports.
bool is_asked() noexcept;

/// Returns whether this process is rank 0, according to the launcher's variables, and is_asked().
bool is_asked_at_rank_0() noexcept;

/// Prints that the library leaves all communication to MPI, why, and what to do about it: one line with two
/// sentences, the second an instruction. Only the first call in a process prints.
void say_not_engaged(const std::string& why, const std::string& what_to_do);

// The library may accept settings and info keys and yet not follow them. These functions print which ones,
// and why: once per node unless documented otherwise. They report only settings that the environment sets.

/// The kinds of notices. The bit of a kind is set on the node when a notice of this kind has been printed.
enum class Notice : std::uint64_t {
  stall = 1 << 0,
  placement_of_bound_thread = 1 << 1, ///< the program has bound the thread itself
  placement_unused = 1 << 2,          ///< the library has no thread to bind
  placement_refused = 1 << 3,         ///< the system refuses to bind the thread
  placement_imagined = 1 << 4,        ///< hwloc describes another machine
  differs_from_rank_0 = 1 << 5,       ///< rank 0's setting holds
  transparent_mode_off = 1 << 6,      ///< some process has not asked for it
  small_arena = 1 << 7,
  small_chunk = 1 << 8,
  unused_spans = 1 << 9,
  unused_rows = 1 << 10, ///< of the file that MPI_HELPER_TUNE names
  few_threads = 1 << 11, ///< the system starts no more threads
  unread_keys = 1 << 12, ///< of an info object, which the function does not read
  unused_key = 1 << 13,  ///< of an info object, which has no effect next to another key
};

/// Prints the text, unless a process of the node has printed a notice of this kind. Any thread may call it.
void print_once_on_node(Notice notice, const std::string& text);

struct State;

/// When the library begins, prints which settings are not followed. `chunk` is the size of chunks that memory
/// allows, `least_threads` the least MPI_HELPER_THREADS of all processes. Collective over all processes.
void say_what_is_not_followed(const State& starting, std::size_t chunk, int least_threads);

/// Prints that MPI_HELPER_ARENA is not followed, if each process shares only `shared` bytes and not `part`,
/// for lack of memory.
void say_if_arena_is_small(const settings::Environment& environment, std::size_t shared, std::size_t part);

/// If fewer threads than `wanted` were started, prints that MPI_HELPER_THREADS is not followed, and `why`.
void say_if_threads_are_few(std::size_t started, std::size_t wanted, const std::string& why);

/// Prints the info keys that begin with mpi_helper_ but are not in `read`, the keys that `function` reads.
void say_unread_keys(const char* function, MPI_Info info, std::span<const char* const> read);

/// If `info` has `key`, prints that `function` does not follow the key, because it is only for `use`.
void say_if_key_is_unused(const char* function, MPI_Info info, const char* key, const char* use);

} // namespace helper::process
