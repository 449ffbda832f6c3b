// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdio>
#include <string>

#include "settings/settings.hpp"
#include "team/registry.hpp"
#include "team/team.hpp"

/// What the library knows of this process while MPI can be used: settings, cores, transparent mode's team.
namespace helper::process {

/// Writes `text` to standard error: what the user has asked for, or one stall report. Allocates no memory.
inline void print(const char* text) noexcept {
  std::fprintf(stderr, "mpi_helper: %s\n", text);
}
inline void print(const std::string& text) noexcept {
  print(text.c_str());
}

/// Returns the library's version, such as "0.9.0". All processes of a job must have the same version, since
/// the messages between them change with it.
const char* version() noexcept;

/// Tells the other processes that this one has the library. Called before each call that initialises MPI;
/// acts once. It never waits for other processes.
void enter() noexcept;

/// Returns whether enter() was called: MPI was initialised through this library.
bool entered() noexcept;

/// Makes the library begin without the other processes, unless it has begun: teams work within this process,
/// and MPI calls are native even in phases. Local. Throws std::invalid_argument if a setting is malformed.
void start_alone();

/// The library's communicators, with MPI_ERRORS_RETURN: two of all processes, and one of this process alone.
struct OwnCommunicators {
  MPI_Comm messages = MPI_COMM_NULL;
  MPI_Comm operations = MPI_COMM_NULL;
  MPI_Comm self = MPI_COMM_NULL;
};

/// Begins with all processes, and takes ownership of the communicators in `own`. If the library cannot begin
/// at some process, it begins at none; at that process this may throw. Collective over `comm`, which has all
/// processes. Call it after start_alone(), and possibly again after stop().
void start_with(const OwnCommunicators& own, MPI_Comm comm);

/// Returns whether `here` is true at all processes of `comm`. Collective over `comm`.
bool is_everywhere(bool here, MPI_Comm comm);

/// Returns whether the library has begun with all processes. Any thread may call it.
bool begun() noexcept;

/// Performs the first operations on MPI_COMM_WORLD, which take much longer than later ones: they make the
/// shadow of MPI_COMM_WORLD and tables of datatypes, look for GPU runtimes, and load code. If they fail,
/// operations on MPI_COMM_WORLD are native. Collective over MPI_COMM_WORLD, after start_with() in MPI_Init.
void carry_first_operations();

/// Prints what MPI_HELPER_REPORT asks for, if the library does not begin.
void report_alone();

/// Ends the transparent mode, frees the library's MPI objects, and leaves MPI alone from now on. The thread
/// that finalises MPI calls it immediately before. If the library has begun, collective over all processes.
void stop();

/// Returns whether MPI can be used, as far as the library knows.
bool running();

/// Returns how the members of this process's teams shall wait.
team::Waiting waiting();

/// Returns the value of a setting as text, as this process uses it or, before the library has begun, would
/// use it. Any thread may call it, at any time.
std::string setting(const settings::Variable& variable);

/// Called when a team is made: from now on other processes may announce messages to this one. If the library
/// does nothing, one process of the job prints that, once.
void expect_phases();

/// Returns whether expect_phases() was called.
bool expects_phases() noexcept;

/// Binds the calling thread according to `placement`, until the thread frees `handle`. The thread has just
/// created `handle`, of a team of `size`. If the program has bound the thread before, prints that once per
/// node, and does not bind it. Throws std::invalid_argument if `placement` is malformed.
void place(team::Handle handle, int size, const std::string& placement);

/// Returns short lines about what this process uses of its node. The first line is not indented.
std::string describe_place();

/// Returns the calling thread's member in the team that it joined, or in the team of transparent mode.
/// Returns nullptr outside phases, and if the library does nothing.
team::Member* present_member();

} // namespace helper::process
