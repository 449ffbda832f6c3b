// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

/// The library begins with a communicator of all processes, if that is the first one that each of them shares
/// with others. Until then it does not communicate: processes where it has not begun would not answer.
namespace helper::process::first {

/// Call it before making a communicator or a team. Waits while the library begins in another thread.
void enter() noexcept;

/// Undoes enter(). Call it after making a team, or if no communicator with other processes was made. Call it
/// also when MPI_Finalize or the last session ends the communicator.
void leave() noexcept;

/// Call it after enter(), when the thread has made a communicator of all processes. Returns whether no other
/// call of enter() is in effect, so that this communicator is the first one. If so, other threads wait in
/// enter() until release_others(). Call that when the library has begun, or will not.
bool hold_others() noexcept;
void release_others() noexcept;

} // namespace helper::process::first

/// The library begins and ends with the World Model, from MPI_Init to MPI_Finalize, and with the Sessions
/// Model of MPI 4. A program may use both, nested or one after the other.
///
/// Opening a session is local. So the library first begins alone, and begins with the other processes when
/// the first communicator of all processes is made. If every process has sessions, the library's
/// communicators come from a session of the library, which lasts until the program's last one ends; otherwise
/// from MPI_COMM_WORLD.
namespace helper::process::models {

/// Call it when MPI_Init and process::start_alone() have succeeded. Communicates.
void world_began();

/// Call it instead of world_began() if the library must not begin. If a process fails, waits for the report.
void world_stays_native();

/// Call it instead of world_began() if process::start_alone() has failed. `report` reports the error, at rank
/// 0 before other ranks, and may end the job. Communicates. Returns what `report` returns.
int world_fails(const std::function<int()>& report);

/// Call it before MPI_Finalize. Stops the library, unless sessions continue. Returns a line per unfreed team.
std::vector<std::string> world_ends();

/// Call it when the program has made `comm` from groups, or has got MPI_COMM_NULL, after first::enter().
/// Begins the library if `comm` has all processes and is the first one. Collective over `comm`.
void made(MPI_Comm comm);

/// Returns whether any session of the program is open. Any thread may call it.
bool has_sessions() noexcept;

/// Returns this process's rank among all processes of the sessions; 0 if there are none.
int own_rank();

#if MPI_VERSION >= 4
/// Call it when the program has opened a session. Local. If a setting is malformed, throws
/// std::invalid_argument, and the session counts as closed.
void session_began(MPI_Session session);

/// Call it before a session is closed. If MPI ends with this session, stops the library, collectively over
/// all processes. Returns a line for each team that was not freed.
std::vector<std::string> session_ends();
#endif

} // namespace helper::process::models
