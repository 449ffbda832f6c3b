// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

/// The library begins with the first communicator that a process shares with others, if it has all processes
/// and is the first at each of them. Before that the library does not communicate, so no thread performs an
/// operation that a process without the library would not know.
namespace helper::process::first {

/// The calling thread is about to make a communicator. Waits while the library begins.
void enter() noexcept;

/// Call it if the communicator has only this process, was not made, or has been freed; or after a call that
/// makes none, but must not run while the library begins.
void leave() noexcept;

/// Call it when the thread has entered and made a communicator of all processes. Returns whether that is the
/// only one so far. Then other threads that want to make communicators wait until release_others(), when the
/// processes have agreed and the library has begun.
bool hold_others() noexcept;
void release_others() noexcept;

} // namespace helper::process::first

/// The library begins and ends with the World Model, from MPI_Init to MPI_Finalize, and with the Sessions
/// Model of MPI 4. A program may use both, nested or one after the other.
///
/// Opening a session is local. So the library first begins alone, and begins with the other processes when
/// the first communicator of all processes is made. If every process has sessions, its communicators come
/// from a session of its own, to last until the program's last session ends; otherwise from MPI_COMM_WORLD.
namespace helper::process::models {

/// Call it when MPI_Init and process::start_alone() have succeeded. Communicates.
void world_began();

/// Call it instead if this process leaves MPI alone. Waits if another process reports an error first.
void world_stays_native();

/// Call it instead if process::start_alone() has failed. `report` reports the error, at rank 0 before other
/// ranks, and may end the job. Communicates. Returns what `report` returns.
int world_fails(const std::function<int()>& report);

/// Call it before MPI_Finalize. Stops the library, unless sessions continue. Returns a line for each team
/// that was not freed.
std::vector<std::string> world_ends();

/// Call it when the program has made a communicator from groups, or failed to, after entering. Begins the
/// library if it is time. Collective over `comm`.
void made(MPI_Comm comm);

/// Returns whether any session of the program is open. Any thread may call it.
bool has_sessions() noexcept;

/// Returns this process's rank among all processes of the sessions; 0 if there are none.
int own_rank();

#if MPI_VERSION >= 4
/// Call it when the program has opened a session. Local. Throws std::invalid_argument if a setting is
/// malformed, and then counts the session as closed.
void session_began(MPI_Session session);

/// Call it before a session is closed. If MPI ends with it, stops the library, which involves all processes.
/// Returns the same as world_ends().
std::vector<std::string> session_ends();
#endif

} // namespace helper::process::models
