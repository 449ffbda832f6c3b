// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

#include "groups/creation/create.hpp"
#include "settings/settings.hpp"
#include "team/registry.hpp"
#include "team/team.hpp"

/// Holds what the library knows of this process while MPI can be used: settings, place on the node, the team
/// of the transparent mode.
namespace helper::process {

/// Writes to standard error what the user has asked for, or one report of a stall. Takes no memory.
inline void print(const char* text) noexcept {
  std::fprintf(stderr, "mpi_helper: %s\n", text);
}
inline void print(const std::string& text) noexcept {
  print(text.c_str());
}

/// Tells the other processes that this one has the library. It is called before MPI is initialised, by
/// whatever function; acts once. Asks nothing of the others.
void enter() noexcept;

/// Returns whether enter() was called: MPI was initialised by way of this library.
bool entered() noexcept;

/// Begins without the other processes, unless the library has begun: MPI is left alone, in phases too, and
/// teams are this process's affair. It is local. Throws std::invalid_argument when a setting is malformed.
void start_alone();

/// The library communicates on these: two communicators of all processes, and one of this process alone. They
/// return errors.
struct OwnCommunicators {
  MPI_Comm messages = MPI_COMM_NULL;
  MPI_Comm operations = MPI_COMM_NULL;
  MPI_Comm self = MPI_COMM_NULL;
};

/// Begins with all processes, and takes the communicators over; at all processes alike not if it cannot at
/// some, where it may throw. It is collective over `comm`, which has all processes, after start_alone(),
/// and again after stop().
void start_with(const OwnCommunicators& own, MPI_Comm comm);

/// Returns whether all processes of `comm` say so. It is collective over `comm`.
bool is_everywhere(bool here, MPI_Comm comm);

/// Returns whether the library has begun with all processes. Any thread may call it.
bool begun() noexcept;

/// Carries the first operations on MPI_COMM_WORLD, which take 20 times as long as later ones: they make its
/// shadow and tables of datatypes, look for runtimes of GPUs, and load code. Where they fail, operations on
/// MPI_COMM_WORLD are native. It is collective over it, after start_with() in MPI_Init.
void carry_first_operations();

/// Reports as MPI_HELPER_REPORT asks, where the library does not begin.
void report_alone();

/// Frees what is kept on MPI_COMM_WORLD and MPI_COMM_SELF. It is called right before MPI_Finalize, if the
/// library goes on.
void leave_predefined();

/// Forgets all teams; returns one line for each that was not freed.
std::vector<std::string> forget_teams();

/// Ends the transparent mode, frees what the library holds of MPI, and leaves MPI alone from now on. The
/// thread that finalises MPI calls it, right before it does. It is collective over all processes if the
/// library has begun with them.
void stop();

/// Returns whether MPI can be used, as far as the library knows.
bool running();

/// Returns how the members of teams of this process are to wait.
team::Waiting waiting();

/// Returns the text of a setting that this process goes by; before the library has begun, the one it would.
/// Any thread may call it, at any time.
std::string setting(const settings::Variable& variable);

/// Is called when a team is made: from now on others may announce messages to this process. If MPI is left
/// alone, one process says so, once.
void expect_phases();

/// Returns whether expect_phases() was called.
bool expects_phases() noexcept;

/// Returns the placement that MPI_HELPER_PLACEMENT asks for.
std::string placement();

/// Returns what MPI_HELPER_GROUP_ALGORITHM and MPI_HELPER_GROUP_OUTSIDER say.
groups::creation::Options group_options();

/// Binds the calling thread, which has just created `handle` of a team of `size`, as `placement` asks, until
/// it frees the handle. A thread that was bound before is left alone, which is printed once per node. Throws
/// std::invalid_argument when `placement` is malformed.
void place(team::Handle handle, int size, const std::string& placement);

/// Returns a text of some short lines: what this process uses of its node. All lines but the first are
/// indented.
std::string describe_place();

/// Returns a text of one line: the assumed costs of messages between nodes; empty if there is one node. Only
/// rank 0 knows them.
std::string describe_network();

/// Returns the member whose phase the calling thread is in: of the team it joined, or in transparent mode of
/// that team. It is nullptr outside, and where MPI is left alone.
team::Member* present_member();

} // namespace helper::process
