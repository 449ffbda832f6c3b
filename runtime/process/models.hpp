// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>
#include <vector>

/// When the library begins and ends: with the World Model, from MPI_Init to MPI_Finalize, and in the Sessions
/// Model of MPI 4. A program may use both, one within the other or one after the other.
///
/// To open a session is local. So the library begins alone, and with the other processes when the first
/// communicator of all is made. It takes its own communicators from a session of its own, where there is one
/// everywhere, as they are to last until the last of the program's sessions ends; otherwise from
/// MPI_COMM_WORLD.
namespace helper::process::models {

/// MPI_Init has succeeded. Communicates. Throws std::invalid_argument when a setting is malformed.
void world_began();

/// MPI_Finalize is about to be called. Stops the library, unless it goes on with sessions. Returns one line
/// for each team that was not freed and is forgotten.
std::vector<std::string> world_ends();

/// The program has made a communicator from groups, or none, for which it has entered (see first.hpp). Has
/// the library begin if it is to. Collective over `comm`. Throws as above.
void made(MPI_Comm comm);

/// Whether any of the program's sessions is open. Any thread.
bool has_sessions() noexcept;

/// This process's rank among all, as sessions know it; 0 where there are none.
int own_rank();

#if MPI_VERSION >= 4
/// The program has opened a session. Local. Throws as above, and then counts it as closed.
void session_began(MPI_Session session);

/// A session is about to be closed. If nothing is left of MPI then, stops the library, which takes all
/// processes. Returns as above.
std::vector<std::string> session_ends();
#endif

} // namespace helper::process::models
