// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

/// The library may do nothing although the user asked it to. Then one process of the job prints why, once.
namespace helper::process {

enum class Why {
  not_yet,    ///< it may still begin
  late,       ///< a session has been opened after MPI_Init
  incomplete, ///< not all processes have the library
  versions,   ///< all have the library, in several versions
  failed,     ///< the library cannot begin in some process
  not_first   ///< in some process, a communicator or a team preceded the first communicator of all processes
};

/// Records why the library does nothing. The first reason counts. `late` may hold for this process alone.
/// Called by threads in MPI.
void stay_idle(Why why);

/// Prints why the library does nothing, if this process has made a team, or is_asked(). Any thread may call
/// it.
void say_why_idle();

/// Prints, if is_asked(), that the program has initialised MPI through functions that the library does not
/// replace. It is called in MPI calls, and when the process ends.
void say_if_unseen() noexcept;

/// Returns whether a setting asks the library to act by itself, or is malformed, which start_alone() reports.
bool is_asked() noexcept;

/// Does the same at rank 0, as far as the launcher tells ranks; at other ranks returns false.
bool is_asked_at_rank_0() noexcept;

/// Prints that the library leaves all communication to MPI, why, and what to do about it: one line with two
/// sentences, the second an instruction. Only the first call in a process prints.
void say_not_engaged(const std::string& why, const std::string& what_to_do);

} // namespace helper::process
