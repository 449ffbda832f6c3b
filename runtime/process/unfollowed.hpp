// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>

#include "collective/selection.hpp"
#include "settings/settings.hpp"

/// Each function prints which settings and hints of this process are not followed, and why. It prints a line
/// for each kind, once per node unless the function has another rule. A setting counts only if the
/// environment sets it.
namespace helper::process {

/// Prints names that begin like settings but are none. For rank 0.
void say_unknown_names(const settings::Environment& environment);

/// Prints settings that differ from rank 0's, if rank 0's apply to all. Collective over all processes.
void say_differing_from_rank_0(const settings::Environment& environment, int rank);

/// Prints MPI_HELPER_THREADS if the transparent mode is off because some process has not asked for it.
void say_if_transparent_mode_is_off(const settings::Settings& settings, int least_threads);

/// Prints MPI_HELPER_ARENA if this process shares fewer bytes than `part`, its part of the arena, for lack of
/// memory.
void say_if_arena_is_small(const settings::Environment& environment, std::size_t shared, std::size_t part);

/// Prints MPI_HELPER_CHUNK if chunks in shared memory have only `bytes` bytes.
void say_if_chunk_is_small(const settings::Environment& environment, std::size_t asked, std::size_t chunk);

/// Prints MPI_HELPER_TRACE_SPANS if there is no timeline.
void say_if_spans_are_unused(const settings::Environment& environment, const settings::Settings& settings);

/// Prints the rows of the file in MPI_HELPER_TUNE that are never chosen.
void say_unused_rows(const settings::Settings& settings, std::span<const collective::Row> rows);

/// Prints MPI_HELPER_THREADS if the library has started fewer threads than `wanted`. `why` is the reason that
/// the system gives.
void say_if_threads_are_few(std::size_t started, std::size_t wanted, const std::string& why);

/// Prints the keys of an info object that begin with mpi_helper_ and that `function` does not read.
void say_unread_keys(const char* function, MPI_Info info, std::span<const char* const> read);

/// Prints `key` if the info object has it. `function` reads it only for `use`.
void say_if_key_is_unused(const char* function, MPI_Info info, const char* key, const char* use);

} // namespace helper::process
