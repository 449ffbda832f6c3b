// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

/// The library begins with the first communicator that a process shares with others, if it has all processes
/// and is the first at each. Before that it communicates nothing, so no thread carries an operation that a
/// process without the library does not know.
namespace helper::process::first {

/// The calling thread is about to make a communicator. Waits while the library begins.
void enter();

/// The communicator has only this process, was not made, or is gone.
void leave() noexcept;

/// Enters, and leaves at its end: it is for what is no communicator, but must not be while the library
/// begins.
class Pass {
public:
  Pass() { enter(); }
  ~Pass() { leave(); }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
};

/// The communicators that other threads are about to make wait while this lives. It is for a thread that has
/// entered and made one of all processes, until these have agreed and the library has begun.
class Claim {
public:
  Claim();
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  /// Returns whether that communicator is the only one.
  bool is_first() const noexcept { return is_first_; }

private:
  bool is_first_;
};

} // namespace helper::process::first

/// The library begins and ends with the World Model, from MPI_Init to MPI_Finalize, and in the Sessions Model
/// of MPI 4. A program may use both, one within the other or one after the other.
///
/// To open a session is local. So the library begins alone, and with the other processes when the first
/// communicator of all is made. It takes its own communicators from a session of its own, where there is one
/// everywhere, as they are to last until the last of the program's sessions ends; otherwise from
/// MPI_COMM_WORLD.
namespace helper::process::models {

/// Is called when MPI_Init and process::start_alone() have succeeded. Communicates.
void world_began();

/// Is called instead if this process leaves MPI alone: waits where another one reports an error first.
void world_stays_native();

/// Is called instead if process::start_alone() has failed. `report` reports that, at rank 0 before other
/// ranks, and may end the job. Communicates, and returns what `report` returns.
int world_fails(const std::function<int()>& report);

/// Is called when MPI_Finalize is about to be. Stops the library, unless it goes on with sessions. Returns
/// one line for each team that was not freed and is forgotten.
std::vector<std::string> world_ends();

/// Is called when the program has made a communicator from groups, or none, for which it has
/// entered. Has the library begin if it is to. It is collective over `comm`.
void made(MPI_Comm comm);

/// Returns whether any of the program's sessions is open. Any thread may call it.
bool has_sessions() noexcept;

/// Returns this process's rank among all, as sessions know it; 0 where there are none.
int own_rank();

#if MPI_VERSION >= 4
/// Is called when the program has opened a session. It is local. Throws std::invalid_argument if a
/// setting is malformed, and then counts the session as closed.
void session_began(MPI_Session session);

/// Is called when a session is about to be closed. If nothing is left of MPI then, stops the library, which
/// takes all processes. Returns what world_ends() does.
std::vector<std::string> session_ends();
#endif

} // namespace helper::process::models
