// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// The library may do nothing although it was asked to do something: one process of the job then says why,
/// once.
namespace helper::process {

enum class Why {
  not_yet,    ///< it may still begin
  late,       ///< a session has been opened after MPI_Init
  incomplete, ///< not all processes have it
  not_first   ///< some process has had a communicator, or a team, before the first one of all processes
};

/// Says that MPI is left alone for this reason, the first one that is given; if that is `late`, not
/// everywhere. It is for threads in MPI.
void stay_idle(Why why);

/// Says now why MPI is left alone, if this process has made a team, or is_asked(). Any thread may call it.
void say_why_idle();

/// Says that the library has not seen the program initialise MPI, if is_asked().
void say_unseen() noexcept;

/// Does what say_unseen() does if MPI has been initialised all the same, by functions that are not the
/// library's. It is called in MPI calls, and once more when the process ends.
void say_if_unseen() noexcept;

} // namespace helper::process
