// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

/// The library may do nothing although it was asked to do something: one process of the job then says why,
/// once.
namespace helper::process {

enum class Why {
  not_yet,    ///< it may still begin
  late,       ///< a session has been opened after MPI_Init
  incomplete, ///< not all processes have it
  versions,   ///< all have it, in several versions
  failed,     ///< it cannot begin in some process
  not_first   ///< some process has had a communicator, or a team, before the first one of all processes
};

/// Notes why MPI is left alone. The first reason counts. `late` does not mean that it is so everywhere.
/// Threads in MPI call it.
void stay_idle(Why why);

/// Reports why MPI is left alone, if this process has made a team, or is_asked(). Any thread may call it.
void say_why_idle();

/// Says, if is_asked(), that the library has not seen the program initialise MPI, where it has been, by
/// functions that are not the library's. It is called in MPI calls, and once more when the process ends.
void say_if_unseen() noexcept;

/// Returns whether the user has asked the library by a setting to do something of its own accord. Returns
/// true if a setting is malformed, which start() reports.
bool is_asked() noexcept;

/// Writes to standard error that the library leaves all communication to MPI, why, and what to do about it:
/// two sentences of one line, the second an instruction. Only the first call in a process writes.
void say_not_engaged(const std::string& why, const std::string& what_to_do);

} // namespace helper::process
