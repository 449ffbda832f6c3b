// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>

#include "collective/selection.hpp"
#include "settings/settings.hpp"

/// Each function prints which of this process's settings and hints are not followed, and why: a line for each
/// kind, once per node where nothing else is said. A setting is meant only if the environment sets it.
namespace helper::process {

/// Prints names that begin as those of settings do, and are none. It is for rank 0.
void say_unknown_names(const settings::Environment& environment);

/// Prints settings that differ from rank 0's where rank 0's hold for all. It is collective over all
/// processes.
void say_differing_from_rank_0(const settings::Environment& environment, int rank);

/// Prints MPI_HELPER_THREADS if the transparent mode is off, since some process has not asked for it.
void say_if_transparent_mode_is_off(const settings::Settings& settings, int least_threads);

/// Prints MPI_HELPER_ARENA if this process shares fewer bytes than `part`, its part of that, for lack of
/// memory.
void say_if_arena_is_small(const settings::Environment& environment, std::size_t shared, std::size_t part);

/// Prints MPI_HELPER_CHUNK if chunks in shared memory have only this many bytes.
void say_if_chunk_is_small(const settings::Environment& environment, std::size_t asked, std::size_t chunk);

/// Prints MPI_HELPER_TRACE_SPANS if there is no timeline.
void say_if_spans_are_unused(const settings::Environment& environment, const settings::Settings& settings);

/// Prints the rows of the file that MPI_HELPER_TUNE names which are never chosen.
void say_unused_rows(const settings::Settings& settings, std::span<const collective::Row> rows);

/// Prints MPI_HELPER_THREADS if the library has `started` threads, which are fewer than `wanted`, as the
/// system says `why`.
void say_if_threads_are_few(std::size_t started, std::size_t wanted, const std::string& why);

/// Prints the keys of an info object that begin with mpi_helper_, and that `function` does not read.
void say_unread_keys(const char* function, MPI_Info info, std::span<const char* const> read);

/// Prints `key` if the info object has it. `function` reads it only for `use`.
void say_if_key_is_unused(const char* function, MPI_Info info, const char* key, const char* use);

} // namespace helper::process
